// The authorization server of a server, as the command line uses it: all of its addresses are at the server itself, so that
// neither a code nor a token is sent elsewhere.
import * as oauth from "oauth4webapi";
import { isLoopback } from "../../src/base/hosts";
import { withoutTrailingSlashes } from "../../src/base/trailing";
import type { Config } from "../../src/config";
import { forbidden, RuntimeError, unavailable } from "../../src/errors";
import { limited } from "../client/body";
import { unreachable } from "../client/unreachable";
import { plainFetch } from "../plain-fetch";
import { printable } from "../printable";

/** Every installation knows the command line by this name. */
export const CLIENT: oauth.Client = { client_id: "runtime-cli" };
export const WITHOUT_SECRET = oauth.None();
export const SCOPE = "runtime offline_access";

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 1_000_000;

export interface SignInServer {
  /** The address by which the server knows itself. */
  address: string;
  metadata: oauth.AuthorizationServer;
  options: ReturnType<typeof optionsFor>;
}

/** What a server says about signing in: it is possible, it is at another address, or it is not possible. */
export type Discovered =
  { kind: "here"; server: SignInServer } | { kind: "elsewhere"; address: string } | { kind: "none" };

/** Throws `unavailable` if the server cannot be reached. */
export async function discover(address: string, config: Config): Promise<Discovered> {
  const options = optionsFor(address, config);
  const url = new URL(address);
  const response = await oauth.discoveryRequest(url, { ...options, algorithm: "oauth2" });
  if (response.status >= 500)
    throw unavailable(`${address} answered ${response.status}. Try again later.`, { shouldRetry: true });
  if (response.status !== 200) return { kind: "none" };
  const metadata = await metadataIn(response);
  if (metadata === undefined) return { kind: "none" };
  const issuer = withoutTrailingSlashes(metadata.issuer);
  if (!isSamePlace(issuer, address)) return { kind: "elsewhere", address: issuer };
  const { origin } = new URL(issuer);
  const endpoints = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.revocation_endpoint,
    metadata.device_authorization_endpoint,
  ];
  const foreign = endpoints.find((each) => each !== undefined && URL.parse(each)?.origin !== origin);
  if (foreign !== undefined)
    throw forbidden(
      `${issuer} names another server for signing in: ${printable(foreign)}. Nothing was sent to it.`,
    );
  return { kind: "here", server: { address: issuer, metadata, options: optionsFor(issuer, config) } };
}

/** The server that a stored sign-in belongs to. Throws `invalid_authorization` if people do not sign in there any more. */
export async function signInServer(address: string, config: Config): Promise<SignInServer> {
  const found = await discover(address, config);
  if (found.kind === "here") return found.server;
  throw forbidden(
    `People do not sign in at ${address} any more. Log in with an API key: runtime login ${address} --with-key`,
  );
}

/** The failure of a request to the authorization server, as an error with what to do. */
export function signInError(address: string, error: unknown): RuntimeError {
  if (error instanceof RuntimeError) return error;
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const reason = error.error_description ?? error.error;
    return forbidden(`The sign-in at ${address} was refused: ${printable(reason)}`, { cause: error });
  }
  return unavailable(
    `${address} gave an answer to the sign-in that is not valid. Try again: runtime login ${address}`,
    {
      cause: error,
    },
  );
}

/** The error code of the authorization server, if it gave one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof oauth.ResponseBodyError ? error.error : undefined;
}

function optionsFor(address: string, config: Config) {
  const ca = config.certificateAuthorities();
  const translate = (error: unknown): RuntimeError => unreachable(address, TIMEOUT_MS, error);
  return {
    // The user has chosen the address, and is warned of http.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (
      url: string,
      init: { method: string; headers: Record<string, string>; body?: unknown },
    ): Promise<Response> => {
      const { method, headers, body } = init;
      const response = await plainFetch(url, {
        method,
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
        ...(ca === undefined ? {} : { tls: { ca } }),
        bypassProxy: isLoopback(new URL(url).hostname),
      }).catch((error: unknown) => {
        throw translate(error);
      });
      return limited(response, { mostBytes: MOST_BYTES, idleMs: TIMEOUT_MS, translate });
    },
  } as const;
}

async function metadataIn(response: Response): Promise<oauth.AuthorizationServer | undefined> {
  const text = await response.text();
  try {
    const value: { issuer?: unknown } = JSON.parse(text);
    const issuer = typeof value.issuer === "string" ? URL.parse(value.issuer) : null;
    if (issuer === null) return undefined;
    const headers = { "content-type": "application/json" };
    return await oauth.processDiscoveryResponse(issuer, new Response(text, { headers }));
  } catch {
    return undefined;
  }
}

// On loopback a server has several names.
function isSamePlace(issuer: string, address: string): boolean {
  const [one, other] = [new URL(issuer), new URL(address)];
  if (one.href === other.href) return true;
  const isHere = isLoopback(one.hostname) && isLoopback(other.hostname);
  return (
    isHere && one.port === other.port && one.protocol === other.protocol && one.pathname === other.pathname
  );
}
