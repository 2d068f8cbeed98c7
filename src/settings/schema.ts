// The session verification settings of a project.
import { type Static, Type } from "typebox";

const verifierUrl = Type.Union([Type.String({ maxLength: 2000, shown: { format: "uri" } }), Type.Null()], {
  description: "Address of the customer's own verifier; null: the built-in check.",
});

export const SessionVerificationSettingsResponse = Type.Object({
  verifier_url: verifierUrl,
  unsafe_skip_verification: Type.Boolean({
    description: "Consents are completed without a check of the user.",
  }),
  unsafe_skip_verification_choice_allowed: Type.Boolean({
    description: "Whether unsafe_skip_verification may be set here.",
  }),
});

export const UpdateSessionVerificationSettingsRequest = Type.Object({
  verifier_url: Type.Optional(verifierUrl),
  unsafe_skip_verification: Type.Optional(Type.Boolean()),
});

export type SessionVerification = Static<typeof SessionVerificationSettingsResponse>;
export type UpdateSessionVerification = Static<typeof UpdateSessionVerificationSettingsRequest>;
