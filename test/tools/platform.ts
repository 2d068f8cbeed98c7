// The platform that the test catalog calls: keeps which token came where, and refuses the tokens that it is told to.

export interface PlatformCall {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  /** The whole `Authorization` value; null for none. */
  readonly authorization: string | null;
}

export interface Platform extends AsyncDisposable {
  /** Ends in a slash. */
  readonly url: string;
  readonly calls: PlatformCall[];
  /** From now on the token is answered with this status. */
  refuse(token: string, status?: number): void;
  /** From now on, calls are answered when the promise has resolved. */
  hold(until: Promise<void>): void;
  /** Tokens of the calls, without the word `Bearer`. */
  tokens(): string[];
}

export function startPlatform(): Platform {
  const calls: PlatformCall[] = [];
  const refused = new Map<string, number>();
  let held: Promise<void> | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const authorization = request.headers.get("authorization");
      calls.push({ method: request.method, address: pathname + search, authorization });
      await held;
      const status = refused.get(tokenOf(authorization));
      return status === undefined ? Response.json({ ok: true }) : Response.json({ ok: false }, { status });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/api/`,
    calls,
    hold: (until) => void (held = until),
    refuse: (token, status = 401) => void refused.set(token, status),
    tokens: () => calls.map(({ authorization }) => tokenOf(authorization)),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function tokenOf(authorization: string | null): string {
  return (authorization ?? "").replace(/^Bearer /, "");
}
