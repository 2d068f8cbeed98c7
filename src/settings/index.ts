// Settings of a project.
export type { SessionVerification, UpdateSessionVerification } from "./schema";
export { checkVerifierUrl, SessionSettings } from "./service";
