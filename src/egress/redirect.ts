// Redirects: detects them and builds the next request (fetch standard, section 4.4).
import { Redacted } from "../base";
import { asGet, type Outgoing, type Step, withoutSecrets } from "./outgoing";
import { nameOf, parseTarget, type Target } from "./target";
import { EgressError } from "./types";

const MAX_REDIRECTS = 5;

const FOLLOWED = new Set([301, 302, 303, 307, 308]);

/** Whether a response is a redirect: 3xx with `Location`, except 304. */
export function isRedirect(response: Response): boolean {
  const { status, headers } = response;
  return status >= 300 && status < 400 && status !== 304 && headers.has("location");
}

/**
 * The request that follows a redirect. Secret headers are dropped as soon as the origin changes; a secret body is never
 * sent to another origin, and https never leads to http. Throws `EgressError`: `redirect_refused`, or `address_refused` for
 * an invalid location.
 */
export function follow(step: Step, response: Response, followed: number): Step {
  const { target, outgoing, project } = step;
  const from = nameOf(target);
  if (!FOLLOWED.has(response.status)) throw redirectRefused(`${from} answered ${response.status}.`);
  if (followed >= MAX_REDIRECTS)
    throw redirectRefused(`${from} redirects again after ${MAX_REDIRECTS} redirects.`);
  const next = parseTarget(response.headers.get("location") ?? "", target.url);
  if (target.url.protocol === "https:" && next.url.protocol !== "https:")
    throw redirectRefused(`${from} redirects from https to ${nameOf(next)} without encryption.`);
  const request = becomesGet(outgoing.method, response.status) ? asGet(outgoing) : outgoing;
  if (next.url.origin === target.url.origin) return { target: next, outgoing: request, project };
  if (request.body instanceof Redacted) {
    throw redirectRefused(
      `${from} redirects to ${nameOf(next)}, but the body is secret and only for ${from}.`,
    );
  }
  return { target: next, outgoing: withoutSecrets(request), project };
}

/** For callers that do not follow redirects. The usual cause is an address that has moved. */
export function unexpectedRedirect(target: Target): EgressError {
  return redirectRefused(`${nameOf(target)} answered with a redirect, which is not followed.`);
}

function becomesGet(method: Outgoing["method"], status: number): boolean {
  if (status === 303) return method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

function redirectRefused(what: string): EgressError {
  return new EgressError("redirect_refused", `${what} Use the address to which it redirects.`, {
    maybeSent: true,
  });
}
