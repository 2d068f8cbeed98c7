// A scripted platform: answers each method from its own queue and keeps what it was sent.

export interface StubRequest {
  method: string;
  params: Record<string, string>;
  body: string;
  headers: Headers;
  verb: string;
}

type Body = { [key: string]: unknown };
/** An object is the body of HTTP 200, with `ok: true` unless it says otherwise. */
export type StubAnswer =
  Body | Response | ((request: StubRequest) => Body | Response | Promise<Body | Response>);

export class Stub implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  /** The most requests that were under way at the same time. */
  busiest = 0;
  readonly #answers = new Map<string, StubAnswer[]>();
  readonly #server: Bun.Server<undefined>;
  #underWay = 0;

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/api/`;
  }

  /** The answers of a method, in turn; the last one stays. */
  on(method: string, ...answers: StubAnswer[]): this {
    this.#answers.set(method, answers);
    return this;
  }

  /** How often a method was called; all of them without one. */
  calls(method?: string): number {
    return this.sent(method).length;
  }

  sent(method?: string): StubRequest[] {
    return this.requests.filter((request) => method === undefined || request.method === method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.text();
    const method = new URL(request.url).pathname.slice("/api/".length);
    const params = Object.fromEntries(new URLSearchParams(body));
    const kept = { method, params, body, headers: request.headers, verb: request.method };
    this.requests.push(kept);
    this.busiest = Math.max(this.busiest, ++this.#underWay);
    try {
      const answer = this.#next(method);
      const made = typeof answer === "function" ? await answer(kept) : answer;
      if (!(made instanceof Response)) return Response.json({ ok: true, ...made });
      // The answer may be given again.
      const { status, headers } = made;
      return new Response(await made.clone().text(), { status, headers: [...headers] });
    } finally {
      this.#underWay--;
    }
  }

  #next(method: string): StubAnswer {
    const [first, ...rest] = this.#answers.get(method) ?? [];
    if (first === undefined) return { ok: false, error: `unscripted: ${method}` };
    if (rest.length > 0) this.#answers.set(method, rest);
    return first;
  }
}

/** HTTP 200 with `ok: false`. */
export function refusal(error: string, fields: Body = {}): Body {
  return { ok: false, error, ...fields };
}

export function throttle(retryAfter?: string): Response {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return Response.json({ ok: false, error: "ratelimited" }, { status: 429, headers });
}

/** A page of a listing. */
export function page(field: string, items: readonly Body[], nextCursor = ""): Body {
  return { [field]: items, response_metadata: { next_cursor: nextCursor } };
}
