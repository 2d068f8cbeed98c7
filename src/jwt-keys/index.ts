// Keys that sign JSON Web Tokens, and their life.
export { JwtKeys, SIGNATURE, type SigningKey } from "./keys";
export { identityKeyTable, tokenKeyTable } from "./repository";
