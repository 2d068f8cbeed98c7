// The checks of a callback, in the order in which they run. Each answers the outcome that stops the callback, or
// nothing when the next one may run.
import { hashOf, sameSecret } from "../../crypto";
import type { Provider } from "../../providers";
import { EXPIRED, statusOf } from "../flow";
import { OTHER_BROWSER, type Outcome, refused, UNKNOWN_STATE } from "../outcome";
import type { FlowRow } from "../repository";

/** Longer than any real code or state; what is longer is noise. */
const MAX_PARAMETER = 4096;

export interface CallbackParameters {
  state: string;
  all: URLSearchParams;
}

/** RFC 6749 section 3.1: parameters must not be repeated; a callback has a state, and a code or an error. */
export function wellFormed(query: URLSearchParams): CallbackParameters | Outcome {
  const repeated = [...new Set(query.keys())].some((name) => query.getAll(name).length > 1);
  const state = query.get("state");
  const long = [...query.values()].some((value) => value.length > MAX_PARAMETER || value.includes("\0"));
  if (repeated || long || state === null || state === "" || !(query.has("code") || query.has("error"))) {
    return refused(
      400,
      "This address is not a complete answer of a provider. Start again from the application.",
    );
  }
  return { state, all: query };
}

/** The state is known, and it came to the redirect address of its own provider (mix-up, RFC 9700 section 4.4). */
export function ownProvider(flow: FlowRow | undefined, provider: Provider | undefined): Outcome | undefined {
  if (flow === undefined || provider === undefined) return UNKNOWN_STATE;
  const own = flow.project_id === provider.projectId && flow.provider_id === provider.id;
  return own ? undefined : UNKNOWN_STATE;
}

/**
 * An error that names its issuer names the provider's own (RFC 9207 section 2.4): otherwise anybody's answer would end
 * the consent. For a code the exchange compares it.
 */
export function ownIssuer({ oauth2 }: Provider, query: URLSearchParams): Outcome | undefined {
  if (oauth2.issuer === undefined || !query.has("error")) return undefined;
  const named = query.get("iss");
  const missing = named === null && oauth2.requiresIssuer === true;
  return missing || (named !== null && named !== oauth2.issuer) ? UNKNOWN_STATE : undefined;
}

/** The browser that opened our address brings its cookie back (RFC 9700 section 4.7). */
export function sameBrowser(flow: FlowRow, cookie: string | undefined): Outcome | undefined {
  if (cookie === undefined || flow.browser_hash === null) return OTHER_BROWSER;
  return sameSecret(hashOf(cookie), flow.browser_hash) ? undefined : OTHER_BROWSER;
}

/** The consent is still to be finished; a reason when its time is over. */
export function inTime(flow: FlowRow, now: number): string | undefined {
  return statusOf(flow, now) === "failed" ? EXPIRED : undefined;
}

/** The provider record is the one that the consent began with. */
export function providerUnchanged(flow: FlowRow, provider: Provider): string | undefined {
  if (!provider.active) return "the auth provider was made inactive meanwhile; start a new authorization";
  if (provider.version !== flow.provider_version) {
    return "the auth provider was changed meanwhile; start a new authorization";
  }
  return undefined;
}

/** The provider says no (RFC 6749 section 4.1.2.1). Its description is not repeated: anybody can write one. */
export function providerError(query: URLSearchParams): string | undefined {
  const error = query.get("error");
  if (error === null) return undefined;
  if (error === "access_denied") return "the consent was declined at the provider";
  return /^[a-z0-9_]{1,60}$/.test(error)
    ? `the provider answered ${error}`
    : "the provider answered with an error";
}
