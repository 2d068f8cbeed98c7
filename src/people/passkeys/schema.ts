// What browsers send at the end of a ceremony (WebAuthn, `toJSON` of a credential), and records of passkeys.
import { type Static, Type } from "typebox";

const MOST_CHARACTERS = 20_000;

const base64url = Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, pattern: "^[A-Za-z0-9_-]+$" });
const credentialId = Type.String({ minLength: 1, maxLength: 1400, pattern: "^[A-Za-z0-9_-]+$" });
const transports = Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 });
const userId = Type.String({ minLength: 1, maxLength: 256, description: "The id of the user." });

/** How the person calls the device. */
export const PasskeyName = Type.String({ minLength: 1, maxLength: 100 });

export const RegistrationAnswer = Type.Object({
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal("public-key"),
  response: Type.Object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: Type.Optional(transports),
  }),
});

export const SignInAnswer = Type.Object({
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal("public-key"),
  response: Type.Object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url,
  }),
});

export const PasskeyResponse = Type.Object({
  id: credentialId,
  user_id: userId,
  name: PasskeyName,
  created_at: Type.String({ format: "date-time" }),
  used_at: Type.Optional(Type.String({ format: "date-time" })),
});

export type RegistrationAnswer = Static<typeof RegistrationAnswer>;
export type SignInAnswer = Static<typeof SignInAnswer>;
export type Passkey = Static<typeof PasskeyResponse>;
