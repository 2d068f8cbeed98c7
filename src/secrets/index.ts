// Stored secrets.
export {
  SecretKey,
  type StoredSecret,
  StoredSecretResponse,
  type UpsertStoredSecret,
  UpsertStoredSecretRequest,
} from "./schema";
export { sealedSecrets, Secrets } from "./service";
