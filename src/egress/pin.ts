// Sends one request to checked addresses. Bun's `fetch` ignores a `lookup` option, so the URL contains the address; the
// `Host` header and the TLS server name contain the host name.
import { reveal } from "../base";
import type { Address } from "./address";
import { neverConnected } from "./failure";
import { type Outgoing, revealBody, revealHeaders } from "./outgoing";
import type { Proxy } from "./proxy";
import type { ConnectionPool } from "./socket/pool";
import { sendStreaming } from "./socket/send";
import type { Target } from "./target";
import { type Trust, trustOf } from "./tls";

/** Addresses in the order in which to try them, or the proxy, which connects by name. */
export type Route = { addresses: readonly Address[] } | { proxy: Proxy };

export interface SendOptions {
  /** PEM of all authorities to trust; undefined: the defaults. */
  authorities: string[] | undefined;
  /** For a body that is received as fast as it is read; undefined: for one that is read whole. */
  pool: ConnectionPool | undefined;
}

/**
 * Sends the request and resolves with the head of the response, which may be a redirect. Rejects with the error of Bun.
 * The next address is tried only if no connection was established.
 */
export async function send(
  target: Target,
  route: Route,
  outgoing: Outgoing,
  signal: AbortSignal,
  { authorities, pool }: SendOptions,
): Promise<Response> {
  const init = requestInit(target, outgoing, signal, authorities);
  if ("proxy" in route) {
    // `proxyFor` has applied NO_PROXY by name; Bun must not apply it again.
    return await fetch(target.url, {
      ...init,
      proxy: { url: reveal(route.proxy.url), respectNoProxy: false },
    });
  }
  init.headers.set("host", target.url.host);
  let failure: unknown;
  for (const address of route.addresses) {
    try {
      return pool !== undefined
        ? await sendStreaming(target, address, outgoing, signal, {
            trust: trustOf(target, outgoing.tls, authorities),
            pool,
          })
        : await fetch(pinned(target.url, address), { ...init, proxy: false });
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
    body: body === undefined ? null : revealBody(body),
    redirect: "manual",
    signal,
    // Bun times out after five minutes without data; the deadline may be longer.
    timeout: false,
    // If a kept-alive connection breaks, Bun silently repeats PUT and DELETE (tested; not POST and PATCH). A write must
    // not be repeated silently, so these two use a new connection.
    keepalive: method !== "PUT" && method !== "DELETE",
    ...(target.url.protocol === "https:" ? { tls: tlsInit(trustOf(target, tls, authorities)) } : {}),
  } as const;
}

function tlsInit({ name, ...trust }: Trust) {
  return {
    // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized: true,
    ...(name === undefined ? {} : { serverName: name }),
    // Bun does not share connections between different certificates (tested).
    ...trust,
  };
}

/** The URL with the host replaced by the address, without the fragment. */
function pinned(url: URL, address: Address): string {
  const host = address.parsed.kind() === "ipv6" ? `[${address.text}]` : address.text;
  const port = url.port === "" ? "" : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname}${url.search}`;
}
