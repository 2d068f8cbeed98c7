// Consents, on the data folder and over HTTP.
import type { Authorization } from "../../src/authorization";
import type { ConfirmedUser, ConfirmUser, TestVerifier, VerifierTest } from "../../src/authorization/schema";
import { pollUntil } from "./again";
import { type Client, operation } from "./client";

export interface StartConsent {
  auth_requirement: { provider_id: string; oauth2: { scopes: string[] } };
  user_id?: string;
  next_uri?: string;
}

export const startConsent = operation<[request: StartConsent], Authorization>({
  direct: async ({ served, principal, checked }, request) => {
    const { AuthorizationInitiationRequest } = await import("../../src/authorization/schema");
    return (await served()).authorization.authorize(
      principal,
      checked(AuthorizationInitiationRequest, request),
    );
  },
  remote: (server, request) => server.send("POST", "/v1/auth/authorize", request),
});

/** More than the network needs for the answer to a long poll. */
const GRACE_S = 5;

/** Throws `malformed_request` unless `wait` is 0 to 59 seconds. */
export const consentStatus = operation<[id: string, wait: number | undefined], Authorization>({
  direct: async ({ served, principal, checked }, id, wait) => {
    const { AuthStatusQuery } = await import("../../src/authorization/schema");
    const query = checked(AuthStatusQuery, wait === undefined ? { id } : { id, wait }, "query");
    return (await served()).authorization.status(principal, query.id, query.wait);
  },
  remote: (server, id, wait) => {
    if (wait === undefined) return server.get("/v1/auth/status", { id });
    // The limit of one request must not end the wait.
    const most = Math.max(0, Math.floor(server.timeoutMs / 1000) - 1);
    return server.get("/v1/auth/status", { id, wait: Math.min(wait, most) }, (wait + GRACE_S) * 1000);
  },
});

/** Waits until a consent has ended, or for `seconds`. Failures of a proxy or the network do not end the wait. */
export function consentEnd(client: Client, id: string, seconds: number): Promise<Authorization> {
  return pollUntil(
    seconds,
    (wait) => consentStatus(client, id, wait),
    ({ status }) => status !== "pending",
  );
}

/** Completes the check of a custom verifier. */
export const confirmUser = operation<[request: ConfirmUser], ConfirmedUser>({
  direct: async ({ served, principal, checked }, request) => {
    const { AuthorizationConfirmUserRequest } = await import("../../src/authorization/schema");
    const checkedRequest = checked(AuthorizationConfirmUserRequest, request);
    return (await served()).consent.verifier.confirm(principal, checkedRequest);
  },
  remote: (server, request) => server.send("POST", "/v1/auth/confirm_user", request),
});

/** Starts a flow that grants nothing at a custom verifier. */
export const testVerifier = operation<[request: TestVerifier], VerifierTest>({
  direct: async ({ served, principal, checked }, request) => {
    const { ValidateCustomVerifierRequest } = await import("../../src/authorization/schema");
    const checkedRequest = checked(ValidateCustomVerifierRequest, request);
    return (await served()).consent.verifier.test(principal, checkedRequest);
  },
  remote: (server, request) => server.send("POST", "/v1/auth/validate_custom_verifier", request),
});
