// Consent of users.
import {
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  AuthStatusQuery,
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
    handle: ({ runtime, principal, body }) => runtime.authorization.authorize(principal, body),
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
