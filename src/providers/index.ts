// Auth providers.
export type { Chosen, ProviderChoice } from "./choice";
export { AUTHORIZE_PARAMS, type EffectiveOAuth2, type Provider } from "./effective";
export type { ApiKeyConfig } from "./api-key-schema";
export { type Expression, parseExpression } from "./expression";
export { addressFault } from "./address";
export { copyOfProvider } from "./copy";
export { authMethod, revokeRequest } from "./discovery";
export type {
  AuthProvider,
  AuthProviderCreate,
  AuthProviderPatch,
  OAuth2ProviderCreate,
  ProviderSetup,
  RequestConfig,
  TriggeredRequestConfig,
} from "./schema";
export type { ProviderPreset } from "./preset";
export type { ClientKeys } from "./secrets";
export type { ProviderDependents, Writer } from "./dependents";
export { workerOf } from "./record";
export { keyAddressesOf, providerInTransaction } from "./repository";
export { Providers } from "./service";
export { externalIdFor } from "./setup";
export { fill, fillAddress, mentions, type PlaceholderValues } from "./template";
export { sealedClientSecrets } from "./secrets";
