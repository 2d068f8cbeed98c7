// Consent: from the wish for scopes to a stored grant.
export type { PlatformScript } from "./compat";
export { Consent } from "./consent";
export { sealedFlows } from "./flow";
export type { Outcome } from "./outcome";
export { Picker, type PickerOutcome } from "./picker/picker";
export { failFlowsOfProvider } from "./repository";
export type { Authorization, AuthorizationInitiation } from "./schema";
export { AuthorizationService, type PendingConsents, type ScopesRequest } from "./service";
