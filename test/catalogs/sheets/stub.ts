// A scripted platform: answers each address from its own queue and keeps what it was sent.

export interface StubRequest {
  verb: string;
  /** Path and query as they were sent. */
  address: string;
  body: string;
  headers: Headers;
}

type Body = { [key: string]: unknown };
/** An object is the body of HTTP 200. */
export type StubAnswer = Body | Response | (() => Body | Response | Promise<Body | Response>);

export class Stub implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  /** The most requests that were under way at the same time. */
  busiest = 0;
  readonly #answers: { address: string | RegExp; left: StubAnswer[] }[] = [];
  readonly #server: Bun.Server<undefined>;
  #underWay = 0;

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The answers of addresses that hold this, in turn; the last one stays. What was said first counts first. */
  on(address: string | RegExp, ...answers: StubAnswer[]): this {
    this.#answers.push({ address, left: answers });
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const address = pathname + search;
    this.requests.push({
      verb: request.method,
      address,
      body: await request.text(),
      headers: request.headers,
    });
    this.busiest = Math.max(this.busiest, ++this.#underWay);
    try {
      const answer = this.#next(address);
      const made = typeof answer === "function" ? await answer() : answer;
      if (!(made instanceof Response)) return Response.json(made);
      // The answer may be given again.
      const { status, headers } = made;
      return new Response(await made.clone().text(), { status, headers: [...headers] });
    } finally {
      this.#underWay--;
    }
  }

  #next(address: string): StubAnswer {
    const script = this.#answers.find((one) =>
      typeof one.address === "string" ? address.includes(one.address) : one.address.test(address),
    );
    const first = script?.left[0];
    if (script === undefined || first === undefined)
      return refusal(404, { message: `unscripted: ${address}` });
    if (script.left.length > 1) script.left.shift();
    return first;
  }
}

/** A refusal in the platform's form. */
export function refusal(status: number, error: Body): Response {
  return Response.json({ error: { code: status, ...error } }, { status });
}

export const page = (status: number, headers: Record<string, string> = {}): Response =>
  new Response("<html><h1>Bad Gateway</h1></html>", {
    status,
    headers: { "content-type": "text/html", ...headers },
  });

/** The answer to a look at the sheets: one of them, or those given. */
export function book(...sheets: Body[]): Body {
  const one = { properties: { title: "Sheet1", gridProperties: { rowCount: 1000, columnCount: 26 } } };
  return {
    spreadsheetId: "book",
    properties: { title: "Book" },
    sheets: sheets.length === 0 ? [one] : sheets,
  };
}

/** An answer that is held back until so many requests are under way, at most five seconds. */
export function together(count: number, answer: Body): () => Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return async () => {
    if (++arrived === count) resolve();
    await Promise.race([promise, Bun.sleep(5000)]);
    return answer;
  };
}
