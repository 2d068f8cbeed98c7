// The library that checks what authenticators answer. It is loaded with the first ceremony.
// First: in the compiled executable the library fails at its import without it.
import "reflect-metadata";

export {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
export { decodeAttestationObject } from "@simplewebauthn/server/helpers";
