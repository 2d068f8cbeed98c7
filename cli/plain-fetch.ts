// Requests of the command line to a server of this product. They use plain `fetch`, because the outbound client refuses
// loopback by design.

export interface PlainRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  tls?: { ca?: string; rejectUnauthorized?: boolean };
  /** Ignores the proxy of the environment; for loopback, which a proxy would resolve to itself. */
  bypassProxy?: boolean;
}

/**
 * Does not follow redirects, which could send a key to another server, and does not decompress, because a small body could
 * become a huge one. Rejects like `fetch`.
 */
export function plainFetch(address: string, { bypassProxy, ...request }: PlainRequest): Promise<Response> {
  const headers = { "accept-encoding": "identity", ...request.headers };
  const init = {
    ...request,
    headers,
    redirect: "manual",
    decompress: false,
    ...(bypassProxy === true ? { proxy: false } : {}),
  };
  // Bun's types allow only a string for `proxy`.
  return fetch(address, init as unknown as RequestInit);
}
