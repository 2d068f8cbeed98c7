// Keys, ids and encryption at rest.
export { isApiKey, newApiKey, visiblePrefix } from "./api-key";
export { hashOf, idAfter, newId, newToken, type Random, sameSecret, systemRandom } from "./ids";
export { nodeCrypto } from "./node-crypto";
export { type Keyring, type KeyringOptions, openKeyring, type Place } from "./keyring";
export type { RootKeySettings } from "./root-key";
export { rootKeySources } from "./root-key-settings";
export { resolvedFile } from "./durable-file";
export { hasPreparedKey, leftoverKeyFiles } from "./root-key-files";
export { Unopenable } from "./unopenable";
export {
  dataKeyOf,
  positionOf,
  sealedBy,
  type SealedColumn,
  sealedColumn,
  type SealedRow,
} from "./sealed-column";
