// A scripted OAuth provider on loopback: its token endpoint answers what the test says and keeps what it was asked.

export interface TokenRequest {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
  /** The parameters, wherever they stand: query of a GET, form, or JSON. */
  readonly params: Readonly<Record<string, string>>;
}

export interface TokenAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default: JSON for an object, else `text/plain`. */
  readonly type?: string;
  /** An object is sent as JSON. */
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the work takes, ms. */
  readonly delayMs?: number;
  /** The work is done and the connection breaks before the answer. */
  readonly resets?: boolean;
}

export type Answer = TokenAnswer | ((request: TokenRequest) => TokenAnswer | Promise<TokenAnswer>);

export interface TokenEndpoint extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, to which any path may be added. */
  readonly url: string;
  /** In the order of arrival. */
  readonly requests: TokenRequest[];
  /** Answers for the next requests, one each. */
  queue(...answers: Answer[]): void;
  /** The answer when nothing is queued. Default: status 500. */
  otherwise(answer: Answer): void;
}

export function startTokenEndpoint(): TokenEndpoint {
  const requests: TokenRequest[] = [];
  const queued: Answer[] = [];
  let standing: Answer = { status: 500, body: "nothing is scripted" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    development: false,
    fetch: async (incoming) => {
      const request = await read(incoming);
      requests.push(request);
      const answer = queued.shift() ?? standing;
      return respond(typeof answer === "function" ? await answer(request) : answer);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    queue: (...answers) => void queued.push(...answers),
    otherwise: (answer) => void (standing = answer),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}

/** A provider whose refresh tokens work once, as RFC 9700 section 4.14.2 asks for. */
export class RotatingGrants {
  readonly #live = new Map<string, string>();
  readonly #expiresIn: number;
  #issued = 0;

  constructor({ expiresIn = 3600 }: { expiresIn?: number } = {}) {
    this.#expiresIn = expiresIn;
  }

  /** A pair as a consent would give it. `owner` is part of both tokens. */
  issue(owner: string): Pair {
    const number = ++this.#issued;
    const pair = { access: `access-of-${owner}-${number}`, refresh: `refresh-of-${owner}-${number}` };
    this.#live.set(pair.refresh, owner);
    return pair;
  }

  /** Whether a refresh token still works. */
  works(refresh: string): boolean {
    return this.#live.has(refresh);
  }

  /** Answers a refresh: the old token is used up, whatever becomes of the answer. */
  readonly answer = ({ params }: TokenRequest): TokenAnswer => {
    const refresh = params["refresh_token"] ?? "";
    const owner = this.#live.get(refresh);
    if (params["grant_type"] !== "refresh_token" || owner === undefined) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    this.#live.delete(refresh);
    return { body: tokens(this.issue(owner), this.#expiresIn) };
  };
}

export function tokens(pair: Pair, expiresIn: number): object {
  return {
    access_token: pair.access,
    refresh_token: pair.refresh,
    token_type: "bearer",
    expires_in: expiresIn,
  };
}

async function read(request: Request): Promise<TokenRequest> {
  const { pathname, search, searchParams } = new URL(request.url);
  const body = await request.text();
  return {
    method: request.method,
    address: pathname + search,
    headers: request.headers,
    body,
    params: request.method === "GET" ? Object.fromEntries(searchParams) : paramsOf(body),
  };
}

function paramsOf(body: string): Record<string, string> {
  return body.startsWith("{") ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

async function respond(answer: TokenAnswer): Promise<Response> {
  const { status = 200, type, body = "", headers, delayMs = 0, resets } = answer;
  await Bun.sleep(delayMs);
  if (resets === true) return resetConnection();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const contentType = type ?? (typeof body === "string" ? "text/plain" : "application/json");
  return new Response(text, { status, headers: { ...headers, "content-type": contentType } });
}

// `Bun.serve` does not hand out its sockets; a body that fails at once makes it close this one.
function resetConnection(): Response {
  return new Response(
    new ReadableStream({
      async pull(controller): Promise<void> {
        await Bun.sleep(1);
        controller.error(new Error("reset by the token endpoint"));
      },
    }),
  );
}
