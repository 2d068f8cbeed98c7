// OAuth of workers: how users consent to a server that is not ours.
export type { GivenOAuth2, WorkerAccess } from "./access";
export { parseChallenge } from "./challenge";
export { clientDocument } from "./client-document";
export { type ConsentParts, type ShownAccess, WorkerConsents } from "./consents";
export { Preparation, type PreparationRequest, type Prepared } from "./preparation";
export { sealedRegistrations } from "./registrations";
