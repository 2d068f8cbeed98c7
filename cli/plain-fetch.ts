// The terminal's own requests, to a server of this very product. The product's outbound client refuses loopback by design,
// hence plain ones.

export interface PlainRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  tls?: { ca?: string; rejectUnauthorized?: boolean };
  /** Keeps the environment's proxy out: for loopback, which means another machine to it. */
  pastProxy?: boolean;
}

/** Redirects are not followed: they could lead a key astray. Rejects as `fetch` does. */
export function plainFetch(address: string, { pastProxy, ...request }: PlainRequest): Promise<Response> {
  const init = { ...request, redirect: "manual", ...(pastProxy === true ? { proxy: false } : {}) };
  // Bun's types know `proxy` as a text only.
  return fetch(address, init as unknown as RequestInit);
}
