// Keys, ids and encryption at rest.
export { isApiKey, newApiKey, prefixOfKeyLike, visiblePrefix } from "./api-key";
export { earliestId, hashOf, idAfter, newId, newToken, type Random, sameSecret, systemRandom } from "./ids";
export { derive } from "./cipher";
export { equalsSealed } from "./equal-sealed";
export { base64Url, signedToken, unsignedToken } from "./jwt";
export { nodeCrypto } from "./node-crypto";
export { type KeyringOptions, openKeyring } from "./keyring";
export type { Keyring } from "./types";
export type { Place } from "./place";
export type { RootKeySettings } from "./root-key";
export { rootKeySources } from "./root-key-settings";
export { dataKeysIn, namedRoot, namedRootIn } from "./repository";
export { createOnce, resolvedFile, syncFolder } from "./durable-file";
export { keyModeFault } from "./key-mode";
export { oldRoots, OtherRootKey } from "./old-roots";
export { fileOfRootKey, hasPreparedKey, leftoverKeyFiles } from "./root-key-files";
export { Unopenable } from "./unopenable";
export {
  dataKeyOf,
  positionOf,
  sealedBy,
  type SealedColumn,
  sealedColumn,
  type SealedRow,
} from "./sealed-column";
