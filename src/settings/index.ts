// Settings of a project.
export {
  type SessionVerification,
  SessionVerificationSettingsResponse,
  type UpdateSessionVerification,
  UpdateSessionVerificationSettingsRequest,
} from "./schema";
export { SessionSettings } from "./service";
export { checkVerifierUrl } from "./verifier-url";
