// A scripted platform: gives its answers in turn, the last one again and again, and keeps what it was sent.

export interface StubRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Headers;
  body: string;
}

export interface StubAnswer {
  status?: number;
  /** An object is sent as JSON. */
  body: object | string;
  headers?: Record<string, string>;
}

export class Stub implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  readonly #answers: StubAnswer[];
  readonly #server: Bun.Server<undefined>;

  constructor(...answers: StubAnswer[]) {
    this.#answers = answers;
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    this.requests.push({ method, target: pathname + search, headers, body: await request.text() });
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    const { status = 200, body = "", headers: more = {} } = answer ?? {};
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { "content-type": "application/json", ...more } });
  }
}

/** A refusal in the platform's form. */
export function refusal(status: number, code: number, text = "No."): StubAnswer {
  return { status, body: { code, message: text } };
}
