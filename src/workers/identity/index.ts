// Who calls: tokens that tell a worker the user, and the keys that sign them.
export {
  DEFAULT_HEADER,
  identityAdvice,
  identityHeaders,
  type WorkerIdentity,
  workerIdentity,
} from "./header";
export { IdentityKeys } from "./keys";

export { identitySigner, type OnBehalf, type SignIdentity } from "./token";
