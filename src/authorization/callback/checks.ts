// The checks of a callback, in the order in which they run. Each returns the outcome or reason that ends the callback, or
// undefined.
import { hashOf, sameSecret } from "../../crypto";
import type { Provider } from "../../providers";
import { DECLINED_AT_PROVIDER, EXPIRED, statusOf } from "../flow";
import { OTHER_BROWSER, type Outcome, refused, UNKNOWN_STATE } from "../outcome";
import type { FlowRow } from "../repository";

/** Longer than any real code or state. */
const MAX_PARAMETER = 4096;

export interface CallbackParameters {
  state: string;
  all: URLSearchParams;
}

/** RFC 6749 section 3.1: parameters must not be repeated. A callback has a state, and a code or an error. */
export function parseCallback(query: URLSearchParams): CallbackParameters | Outcome {
  const repeated = [...new Set(query.keys())].some((name) => query.getAll(name).length > 1);
  const state = query.get("state");
  const long = [...query.values()].some((value) => value.length > MAX_PARAMETER || value.includes("\0"));
  if (repeated || long || state === null || state === "" || !(query.has("code") || query.has("error"))) {
    return refused(400, "This is not a complete response from a provider. Start again from the application.");
  }
  return { state, all: query };
}

/** The state must be known and belong to the provider of this redirect address (mix-up, RFC 9700 section 4.4). */
export function checkProvider(
  flow: FlowRow | undefined,
  provider: Provider | undefined,
): Outcome | undefined {
  if (flow === undefined || provider === undefined) return UNKNOWN_STATE;
  const matches = flow.project_id === provider.projectId && flow.provider_id === provider.id;
  return matches ? undefined : UNKNOWN_STATE;
}

/** Users enter keys of their own on our page; nothing comes back from elsewhere. */
export function checkHasCallback(provider: Provider | undefined): Outcome | undefined {
  return provider?.apiKey === undefined ? undefined : UNKNOWN_STATE;
}

/**
 * The issuer of an error must be that of the provider (RFC 9207 section 2.4). Otherwise an error from elsewhere could end
 * the consent. The code exchange checks the issuer of a code.
 */
export function checkIssuer({ oauth2 }: Provider, query: URLSearchParams): Outcome | undefined {
  if (oauth2.issuer === undefined || !query.has("error")) return undefined;
  const issuer = query.get("iss");
  const missing = issuer === null && oauth2.requiresIssuer === true;
  return missing || (issuer !== null && issuer !== oauth2.issuer) ? UNKNOWN_STATE : undefined;
}

/** The browser must send the cookie that it got when it opened our address (RFC 9700 section 4.7). */
export function checkBrowser(flow: FlowRow, cookie: string | undefined): Outcome | undefined {
  if (cookie === undefined || flow.browser_hash === null) return OTHER_BROWSER;
  return sameSecret(hashOf(cookie), flow.browser_hash) ? undefined : OTHER_BROWSER;
}

/** The flow must not have expired. */
export function expiryReason(flow: FlowRow, now: number): string | undefined {
  return statusOf(flow, now) === "failed" ? EXPIRED : undefined;
}

/** The provider must be active and the same as at the start of the consent. */
export function changeReason(flow: FlowRow, provider: Provider): string | undefined {
  if (!provider.active) return "the auth provider was made inactive meanwhile; start a new authorization";
  if (provider.version !== flow.provider_version) {
    return "the auth provider was changed meanwhile; start a new authorization";
  }
  return undefined;
}

/** `meaning`: what the provider means with codes. The provider must not return an error (RFC 6749 section 4.1.2.1). Its description is not trusted or repeated. */
export function errorReason(
  query: URLSearchParams,
  meaning: Readonly<Record<string, string>> = {},
): string | undefined {
  const error = query.get("error");
  if (error === null) return undefined;
  if (Object.hasOwn(meaning, error)) return meaning[error];
  if (error === "access_denied") return DECLINED_AT_PROVIDER;
  return /^[a-z0-9_]{1,60}$/.test(error)
    ? `the provider answered ${error}`
    : "the provider answered with an error";
}
