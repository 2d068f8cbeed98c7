// Consent of users.
import {
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  AuthStatusQuery,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
} from "../../src/authorization";
import { operation } from "./operation";

const tag = "Authorization";

export const authorizationOperations = [
  operation({
    id: "initiate-authorization",
    method: "POST",
    path: "/v1/auth/authorize",
    tag,
    summary: "Start a consent and get the address to send the user to",
    credential: ["admin", "run"],
    body: AuthorizationInitiationRequest,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.authorization.authorize(principal, body),
  }),
  operation({
    id: "confirm-user-auth-flow",
    method: "POST",
    path: "/v1/auth/confirm_user",
    alsoAt: ["/api/v1/oauth/confirm_user"],
    tag,
    summary: "Confirm who sits at the browser of a consent (custom verifier)",
    credential: ["admin", "run"],
    body: AuthorizationConfirmUserRequest,
    success: { status: 200, schema: AuthorizationConfirmUserResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.consent.confirmUser(principal, body),
  }),
  operation({
    id: "test-authorization-flow",
    method: "POST",
    path: "/v1/auth/validate_custom_verifier",
    tag,
    summary: "Start a flow that grants nothing, to try a custom verifier out",
    credential: ["admin", "run"],
    body: ValidateCustomVerifierRequest,
    success: { status: 200, schema: ValidateCustomVerifierResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.consent.testVerifier(principal, body),
  }),
  operation({
    id: "auth-status",
    method: "GET",
    path: "/v1/auth/status",
    tag,
    summary: "Ask how a consent stands, and wait for its end",
    credential: ["admin", "run", "read"],
    query: AuthStatusQuery,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 415, 500],
    slow: true,
    waits: true,
    handle: ({ runtime, principal, query, signal }) =>
      runtime.authorization.status(principal, query.id, query.wait, signal),
  }),
];
