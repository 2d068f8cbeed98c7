// Stored secrets.
export type { StoredSecret, UpsertStoredSecret } from "./schema";
export { sealedSecrets, Secrets } from "./service";
