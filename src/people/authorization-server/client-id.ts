/**
 * Bytes of the id of a client. What a person has allowed a client is found by project (at most 100), user (at most 768), client
 * and gateway, and an entry of an index has at most about 2,700 bytes in PostgreSQL.
 */
export const MAX_CLIENT_ID = 1500;
