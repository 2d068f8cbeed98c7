// Consent of users.
import {
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  AuthStatusQuery,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
} from "../../src/authorization/schema";
import { operation } from "./operation";

const tag = "Authorization";

// A run key starts consents. If it could also confirm their users, an agent could link the grant of another person.
const VERIFY_ADVICE =
  "If your verifier uses a run key, create one for it and replace it there: runtime keys create verifier --role verify.";

export const authorizationOperations = [
  operation("POST", "/v1/auth/authorize", {
    id: "initiate-authorization",
    credential: ["admin", "run"],
    tag,
    summary: "Start a consent and get the address to send the user to",
    body: AuthorizationInitiationRequest,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.authorization.authorize(principal, body),
  }),
  operation("POST", "/v1/auth/confirm_user", {
    id: "confirm-user-auth-flow",
    alsoAt: ["/api/v1/oauth/confirm_user"],
    credential: ["admin", "verify"],
    roleAdvice: VERIFY_ADVICE,
    tag,
    summary: "Confirm the user of a consent (custom verifier)",
    body: AuthorizationConfirmUserRequest,
    success: { status: 200, schema: AuthorizationConfirmUserResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.consent.verifier.confirm(principal, body),
  }),
  operation("POST", "/v1/auth/validate_custom_verifier", {
    id: "test-authorization-flow",
    credential: ["admin", "verify"],
    roleAdvice: VERIFY_ADVICE,
    tag,
    summary: "Test a custom verifier with a flow that grants nothing",
    body: ValidateCustomVerifierRequest,
    success: { status: 200, schema: ValidateCustomVerifierResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.consent.verifier.test(principal, body),
  }),
  operation("GET", "/v1/auth/status", {
    id: "auth-status",
    credential: ["admin", "run", "read"],
    tag,
    summary: "Get the status of a consent, and wait until it ends",
    query: AuthStatusQuery,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 415, 500],
    slow: true,
    waits: true,
    handle: ({ runtime, principal, query, signal }) =>
      runtime.authorization.status(principal, query.id, query.wait, signal),
  }),
];
