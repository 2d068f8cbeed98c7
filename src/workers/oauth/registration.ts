// Registers a client with the authorization server of a worker (RFC 7591). An administrator has asked for it: a call of a tool
// never does.
import { jsonObjectIn } from "../../base";
import type { Core } from "../../core";
import { EgressError } from "../../egress";
import { authMethod } from "../../providers";
import type { Discovered } from "./discovery";
import { shown } from "./documents";
import { OAuthFailure } from "./failure";
import { isEndpoint } from "./issuer";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 100_000;
const METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
export type ClientMethod = (typeof METHODS)[number];

/** A registered client. All of it is secret. */
export interface Registration {
  issuer: string;
  redirectUri: string;
  clientId: string;
  clientSecret?: string;
  method: ClientMethod;
  /** Seconds since 1970; absent: it does not expire. */
  expiresAt?: number;
  /** For changes of the registration (RFC 7592). */
  accessToken?: string;
  clientUri?: string;
}

export interface RegistrationRequest {
  projectId: string;
  redirectUri: string;
  discovered: Discovered;
}

/** Throws `OAuthFailure`. */
export async function register(
  core: Pick<Core, "egress">,
  { projectId, redirectUri, discovered }: RegistrationRequest,
): Promise<Registration> {
  const { server, scopes, supportedScopes, issuer } = discovered;
  const endpoint = server.registration_endpoint;
  if (!isEndpoint(endpoint)) throw refused(issuer, "it has no valid registration endpoint");
  const allScopes = [...new Set([...scopes, ...supportedScopes])];
  const preferred = authMethod(false, server.token_endpoint_auth_methods_supported);
  const method = METHODS.find((each) => each === preferred) ?? "client_secret_basic";
  const body = {
    client_name: "runtime",
    application_type: "web",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    // Some servers refuse scopes that a client was not registered with.
    ...(allScopes.length === 0 ? {} : { scope: allScopes.join(" ") }),
  };
  const response = await core.egress
    .fetch(endpoint, {
      project: projectId,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    })
    .catch((error: unknown) => {
      if (error instanceof EgressError) throw refused(issuer, error.message, error);
      throw error;
    });
  return registrationIn(response.status, await response.text(), { issuer, redirectUri, method });
}

function registrationIn(
  status: number,
  text: string,
  { issuer, redirectUri, method }: { issuer: string; redirectUri: string; method: ClientMethod },
): Registration {
  const answer = jsonObjectIn(text) ?? {};
  if (status !== 201 && status !== 200) throw refused(issuer, reasonOf(status, answer));
  const { client_id, client_secret, redirect_uris, token_endpoint_auth_method: given } = answer;
  const hasSecret = isText(client_secret);
  const used = METHODS.find((each) => each === given) ?? (given === undefined ? method : undefined);
  if (!isText(client_id) || used === undefined || (used !== "none" && !hasSecret))
    throw refused(issuer, "its answer is not a client that can be used");
  if (Array.isArray(redirect_uris) && !redirect_uris.includes(redirectUri))
    throw refused(issuer, "it registered another redirect address");
  const { client_secret_expires_at: expires, registration_access_token: token } = answer;
  const uri = answer["registration_client_uri"];
  return {
    issuer,
    redirectUri,
    clientId: client_id,
    ...(hasSecret && used !== "none" ? { clientSecret: client_secret } : {}),
    method: used,
    ...(typeof expires === "number" && expires > 0 ? { expiresAt: expires } : {}),
    ...(isText(token) ? { accessToken: token } : {}),
    ...(isText(uri) ? { clientUri: uri } : {}),
  };
}

// The description of an error is outside text and is not repeated.
function reasonOf(status: number, { error }: Readonly<Record<string, unknown>>): string {
  const code = typeof error === "string" && /^[a-z0-9_]{1,60}$/.test(error) ? `: ${error}` : "";
  return `it answers ${status}${code}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 1000;
}

function refused(issuer: string, reason: string, cause?: unknown): OAuthFailure {
  const message =
    `No client could be registered with "${shown(issuer)}": ${reason}. Create a client in its console and set ` +
    "mcp.oauth2.client_id, or try again.";
  return new OAuthFailure("registration_refused", message, cause);
}
