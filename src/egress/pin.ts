// One request over the wire, to addresses that were checked. Bun's `fetch` ignores a `lookup` option, so it is given
// the address itself; `Host` and the TLS server name say which name is meant.
import { reveal } from "../base";
import type { Address } from "./address";
import { neverConnected } from "./failure";
import { type Outgoing, revealHeaders } from "./outgoing";
import type { Proxy } from "./proxy";
import type { Target } from "./target";

/** Addresses in the order to try, or the proxy that connects by name. */
export type Route = { addresses: readonly Address[] } | { proxy: Proxy };

/**
 * Sends the request and resolves with the head of the answer; redirects are answers here.
 * Rejects with what Bun throws; the next address is tried only when no connection came about.
 */
export async function send(
  target: Target,
  route: Route,
  outgoing: Outgoing,
  signal: AbortSignal,
  authorities: string[] | undefined,
): Promise<Response> {
  const init = requestInit(target, outgoing, signal, authorities);
  if ("proxy" in route) {
    // Which targets go past the proxy was decided by name before (`proxyFor`); Bun must not decide again.
    return await fetch(target.url, {
      ...init,
      proxy: { url: reveal(route.proxy.url), respectNoProxy: false },
    });
  }
  init.headers.set("host", target.url.host);
  let failure: unknown;
  for (const address of route.addresses) {
    try {
      return await fetch(pinned(target.url, address), { ...init, proxy: false });
    } catch (thrown) {
      if (!neverConnected(thrown)) throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

function requestInit(
  target: Target,
  { method, headers, body, tls }: Outgoing,
  signal: AbortSignal,
  authorities: string[] | undefined,
) {
  return {
    method,
    headers: revealHeaders(headers),
    body: body === undefined ? null : reveal(body),
    redirect: "manual",
    signal,
    // Bun gives up after five silent minutes; the deadline may be longer.
    timeout: false,
    // When a kept-alive connection breaks, Bun silently sends PUT and DELETE again (POST and PATCH not: tried). A
    // write must not be repeated unseen, so these two get a connection of their own.
    keepalive: method !== "PUT" && method !== "DELETE",
    ...(target.url.protocol === "https:" ? { tls: tlsInit(target, tls, authorities) } : {}),
  } as const;
}

function tlsInit(target: Target, tls: Outgoing["tls"], authorities: string[] | undefined) {
  const ca = tls?.ca === undefined ? authorities : [tls.ca];
  return {
    // The check stays on even under NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized: true,
    ...(target.literal === undefined ? { serverName: target.host } : {}),
    ...(ca === undefined ? {} : { ca }),
    // Bun keeps connections of different certificates apart (tried).
    ...(tls?.cert === undefined || tls.key === undefined
      ? {}
      : { cert: reveal(tls.cert), key: reveal(tls.key) }),
  };
}

/** The same address with the host replaced; without the fragment. */
function pinned(url: URL, address: Address): string {
  const host = address.parsed.kind() === "ipv6" ? `[${address.text}]` : address.text;
  const port = url.port === "" ? "" : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname}${url.search}`;
}
