// Settings of a project.
export type { SessionVerification, UpdateSessionVerification } from "./schema";
export { SessionSettings } from "./service";
export { checkVerifierUrl } from "./verifier-url";
