// Passkeys need a host name. A server on loopback has one, localhost, so its pages that use passkeys are shown under it.
import { relyingPartyOf } from "../../src/people";
import { requestUrl } from "../request-url";

/** Addresses that `localhost` leads to as well. */
const ADDRESS = /^(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Whether an `Origin` is that of this server: on loopback, by its address or its name. */
export function isOwnOrigin(origin: string, publicUrl: string): boolean {
  const party = relyingPartyOf(publicUrl);
  return origin === new URL(publicUrl).origin || ("origin" in party && origin === party.origin);
}

/** A redirect of a request at 127.0.0.1 to the same page at localhost; undefined: the page can use passkeys, or none can. */
export function toLocalhost(request: Request, publicUrl: string): Response | undefined {
  const party = relyingPartyOf(publicUrl);
  const isAtAddress = ADDRESS.test(request.headers.get("host") ?? "");
  if ("reason" in party || party.id !== "localhost" || !isAtAddress) return undefined;
  const { pathname, search } = requestUrl(request);
  return new Response(null, {
    status: 307,
    headers: {
      location: `${party.origin}${pathname}${search}`,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
}
