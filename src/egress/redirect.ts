// Redirects: which answers are one, and what the next request then is (fetch standard, section 4.4).
import { Redacted } from "../base";
import { asGet, type Outgoing, type Step, withoutSecrets } from "./outgoing";
import { nameOf, parseTarget, type Target } from "./target";
import { EgressError } from "./types";

const MOST_REDIRECTS = 5;

const FOLLOWED = new Set([301, 302, 303, 307, 308]);

/** An answer that sends the caller elsewhere: 3xx with `Location`, except 304, which answers the request. */
export function isRedirect(response: Response): boolean {
  const { status, headers } = response;
  return status >= 300 && status < 400 && status !== 304 && headers.has("location");
}

/**
 * The request that follows a redirect. Secret headers are gone for good once the origin changes; a secret body does
 * not change origin at all. Throws `EgressError`: `redirect_refused`, or `address_refused` for where it leads.
 */
export function follow(step: Step, response: Response, followed: number): Step {
  const { target, outgoing } = step;
  const from = nameOf(target);
  if (!FOLLOWED.has(response.status)) throw redirectRefused(`${from} answered ${response.status}.`);
  if (followed >= MOST_REDIRECTS) {
    throw redirectRefused(`${from} redirects once more after ${MOST_REDIRECTS} redirects.`);
  }
  const next = parseTarget(response.headers.get("location") ?? "", target.url);
  const request = becomesGet(outgoing.method, response.status) ? asGet(outgoing) : outgoing;
  if (next.url.origin === target.url.origin) return { target: next, outgoing: request };
  if (request.body instanceof Redacted) {
    throw redirectRefused(
      `${from} redirects to ${nameOf(next)}, but the body is secret and meant for ${from} only.`,
    );
  }
  return { target: next, outgoing: withoutSecrets(request) };
}

/** For the callers that follow none: the usual reason is an address that has moved. */
export function unexpectedRedirect(target: Target): EgressError {
  return redirectRefused(`${nameOf(target)} answered with a redirect, which is not followed here.`);
}

function becomesGet(method: Outgoing["method"], status: number): boolean {
  if (status === 303) return method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

function redirectRefused(what: string): EgressError {
  return new EgressError("redirect_refused", `${what} Use the address that it leads to.`, {
    maybeSent: true,
  });
}
