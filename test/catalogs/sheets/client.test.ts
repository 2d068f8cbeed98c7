// Waits, repeats, limits and lines: how often a call is sent, and when it is not.
import { describe, expect, test } from "bun:test";
import { SheetsClient } from "../../../catalogs/sheets/client";
import { batchUpdate, getMetadata, updateValue } from "../../../catalogs/sheets/upstream/calls";
import { TestClock, TestMemory } from "../context";
import { basesOf, Connection, failureOf } from "./run";
import { book, page, refusal, Stub, type StubAnswer, together } from "./stub";

const READ = getMetadata("book");
const WRITE = updateValue("book", "'S'!A1", "x");
const ONCE = batchUpdate("book", [{}], { once: true });
const limited = (headers: Record<string, string> = {}) => new Response("{}", { status: 429, headers });
const clientOf = (connection: Connection, options = {}): SheetsClient =>
  new SheetsClient(connection.context(options));
const to = (stub: Stub, options = {}) => new Connection(basesOf(stub.url), options);

/** A server that takes the request and closes the connection without a word. */
function silentServer() {
  let requests = 0;
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        requests++;
        socket.terminate();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get requests() {
      return requests;
    },
    [Symbol.dispose]: () => server.stop(true),
  };
}

test("a wait that is too long is known to a later process, which sends nothing", async () => {
  await using stub = new Stub().on("book", limited({ "retry-after": "120" }), book());
  const clock = new TestClock();
  const stored = new TestMemory(clock);
  const process = () => to(stub, { clock, memory: stored.of("ac_1", "ac_1") });
  expect((await failureOf(clientOf(process()).call(READ))).details.retryAfterMs).toBe(120_000);
  clock.move(20_000);
  const error = await failureOf(clientOf(process()).call(READ));
  expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 100_000 } });
  expect(error.message).toContain("100 s");
  expect(stub.requests).toHaveLength(1);

  // Writes have a limit of their own, and the end of the wait is waited for.
  await clientOf(process()).call(WRITE);
  clock.move(90_000);
  await clientOf(process()).call(READ);
  expect(clock.sleeps).toEqual([10_000]);
});

test("an answer that does not come leaves time for another try", async () => {
  await using stub = new Stub().on("book", () => Bun.sleep(5000).then(() => book()), book());
  const connection = to(stub, { timeMs: 3000, requestMs: 60_000 });
  const context = { ...connection.context(), sleep: async () => undefined };
  expect(await new SheetsClient(context).call(READ)).toMatchObject({ spreadsheetId: "book" });
  expect(stub.requests).toHaveLength(2);
});

describe("a call that may be retried", () => {
  test.each<[string, StubAnswer]>([
    ["a page of a proxy", page(502)],
    ["a fault", refusal(500, { message: "Internal error", status: "INTERNAL" })],
    ["a success that is not JSON", page(200)],
    ["a rate limit", limited()],
  ])("is retried after %s", async (_, first) => {
    await using stub = new Stub().on("book", first, book());
    const connection = to(stub);
    for (const call of [READ, WRITE]) {
      expect(await clientOf(connection).call(call)).toMatchObject({ spreadsheetId: "book" });
    }
    expect(stub.requests).toHaveLength(3);
    expect(connection.clock.sleeps).toEqual([expect.any(Number)]);
  });

  test("waits about 1, 2 and 4 seconds, and is sent four times in all", async () => {
    await using stub = new Stub().on("book", page(503));
    const connection = to(stub);
    const error = await failureOf(clientOf(connection).call(READ));
    expect(stub.requests).toHaveLength(4);
    const waits = connection.clock.sleeps;
    expect(waits).toHaveLength(3);
    for (const [index, wait] of waits.entries()) {
      const base = [1000, 2000, 4000][index] ?? 0;
      expect(wait).toBeWithin(base, base + 1001);
    }
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", canRetry: true });
    expect(error.details.retryAfterMs).toBeGreaterThan(0);
  });

  test.each([
    ["in seconds", (): string => "7"],
    ["as a date", (now: number): string => new Date(now + 7000).toUTCString()],
  ])("waits as long as the platform requests, %s", async (_, header) => {
    await using stub = new Stub();
    const connection = to(stub);
    stub.on("book", limited({ "retry-after": header(connection.clock.now()) }), book());
    await clientOf(connection).call(READ);
    expect(connection.clock.sleeps).toEqual([7000]);
  });

  test("does not wait longer than the run lasts, and tells the caller when to retry", async () => {
    await using stub = new Stub().on("book", limited({ "retry-after": "120" }));
    const connection = to(stub);
    const error = await failureOf(clientOf(connection).call(READ));
    expect(error).toMatchObject({
      kind: "UPSTREAM_RUNTIME_RATE_LIMIT",
      canRetry: true,
      details: { retryAfterMs: 120_000 },
    });
    expect(connection.clock.sleeps).toEqual([]);
    expect(stub.requests).toHaveLength(1);
  });

  test("a persistent rate limit without a time suggests a retry after a minute", async () => {
    await using stub = new Stub().on("book", limited());
    const error = await failureOf(clientOf(to(stub)).call(READ));
    expect(stub.requests).toHaveLength(4);
    expect(error.details.retryAfterMs).toBe(60_000);
  });

  test("is not retried when no time is left", async () => {
    await using stub = new Stub().on("book", page(503));
    await failureOf(clientOf(to(stub), { timeMs: 1500 }).call(READ));
    expect(stub.requests).toHaveLength(1);
  });

  test("is retried when the platform does not answer", async () => {
    await using stub = new Stub().on("book", () => Bun.sleep(5000).then(() => ({})), book());
    const context = to(stub).context();
    const fetch: typeof context.fetch = (base, path, request) =>
      context.fetch(base, path, { ...request, timeoutMs: 250 });
    expect(await new SheetsClient({ ...context, fetch }).call(READ)).toMatchObject({ spreadsheetId: "book" });
    expect(stub.requests).toHaveLength(2);
  });

  test("ends with a timeout when the run's time is up", async () => {
    await using stub = new Stub().on("book", () => Bun.sleep(5000).then(() => ({})));
    const error = await failureOf(clientOf(to(stub), { timeMs: 500 }).call(READ));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", canRetry: true });
    expect(stub.requests).toHaveLength(1);
  });

  test("is retried when the connection breaks", async () => {
    using server = silentServer();
    const error = await failureOf(clientOf(new Connection(basesOf(server.url))).call(WRITE));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", canRetry: true });
    expect(server.requests).toBeGreaterThanOrEqual(4);
  });

  test.each([400, 401, 403, 404])("is not retried after %d", async (status) => {
    await using stub = new Stub().on("book", refusal(status, { message: "no" }));
    await failureOf(clientOf(to(stub)).call(READ));
    // Files that can be opened may be listed for the error.
    const same = stub.requests.filter(({ address }) => address.includes("book"));
    expect(same).toHaveLength(1);
  });

  test("ends when the caller disconnects, also while it waits", async () => {
    await using stub = new Stub().on("book", page(503));
    const caller = new AbortController();
    const connection = to(stub, { signal: caller.signal });
    const sleep = async (): Promise<void> => caller.abort();
    const client = new SheetsClient({ ...connection.context(), sleep });
    expect((await failureOf(client.call(READ))).kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(stub.requests).toHaveLength(1);
  });
});

describe("a call that must not be done twice", () => {
  const unknown = { canRetry: false, details: { extra: { outcome: "unknown" } } };

  test.each<[string, StubAnswer]>([
    ["a page of a proxy", page(502)],
    ["a fault", refusal(500, { message: "Internal error" })],
    ["a success that is not JSON", page(200)],
  ])("is sent once, and its outcome is unknown after %s", async (_, answer) => {
    await using stub = new Stub().on("book", answer);
    expect(await failureOf(clientOf(to(stub)).call(ONCE))).toMatchObject(unknown);
    expect(stub.requests).toHaveLength(1);
  });

  test("is sent once over a connection that breaks", async () => {
    using server = silentServer();
    const error = await failureOf(clientOf(new Connection(basesOf(server.url))).call(ONCE));
    expect(error).toMatchObject(unknown);
    expect(server.requests).toBe(1);
  });

  test("is retried after a rate limit, because nothing was done", async () => {
    await using stub = new Stub().on("book", limited(), {});
    await clientOf(to(stub)).call(ONCE);
    expect(stub.requests).toHaveLength(2);
  });

  test("is retried if no connection was established", async () => {
    const stub = new Stub();
    const { url } = stub;
    await stub[Symbol.asyncDispose]();
    const connection = new Connection(basesOf(url));
    const error = await failureOf(clientOf(connection).call(ONCE));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", canRetry: true });
    expect(connection.clock.sleeps).toHaveLength(3);
  });

  test("reports a refusal without an unknown outcome", async () => {
    await using stub = new Stub().on("book", refusal(400, { message: "no" }));
    const error = await failureOf(clientOf(to(stub)).call(ONCE));
    expect(error.details.extra).toBeUndefined();
  });
});

describe("the user's budget", () => {
  test("of 60 reads per minute is used up before the platform's, and is available again later", async () => {
    await using stub = new Stub().on("book", book());
    const connection = to(stub);
    for (let turn = 0; turn < 60; turn++) {
      await clientOf(connection).call(READ);
      if (turn === 0) connection.clock.move(20_000);
    }
    const error = await failureOf(clientOf(connection).call(READ));
    expect(error).toMatchObject({
      kind: "UPSTREAM_RUNTIME_RATE_LIMIT",
      canRetry: true,
      details: { retryAfterMs: 40_000 },
    });
    expect(stub.requests).toHaveLength(60);
    // Writes are counted apart, and the first read is over after a minute.
    await clientOf(connection).call(WRITE);
    connection.clock.move(40_000);
    await clientOf(connection).call(READ);
    await failureOf(clientOf(connection).call(READ));
    expect(stub.requests).toHaveLength(62);
  });

  test("is available after the clock was set back", async () => {
    await using stub = new Stub().on("book", book());
    const connection = to(stub);
    connection.clock.move(3600_000);
    for (let turn = 0; turn < 60; turn++) await clientOf(connection).call(READ);
    connection.clock.move(-3600_000);

    await clientOf(connection).call(READ);
    expect(stub.requests).toHaveLength(61);
  });

  test("counts every attempt", async () => {
    let answered = 0;
    await using stub = new Stub().on("book", () => (++answered <= 52 ? book() : page(503)));
    const connection = to(stub);
    for (let turn = 0; turn < 52; turn++) await clientOf(connection).call(WRITE);
    for (let turn = 0; turn < 2; turn++) await failureOf(clientOf(connection).call(WRITE));
    expect(stub.requests.length).toBe(60);
    expect((await failureOf(clientOf(connection).call(WRITE))).kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");
    expect(stub.requests.length).toBe(60);
  });

  test("is separate for each user", async () => {
    await using stub = new Stub().on("book", book());
    for (const connection of [to(stub), to(stub)]) {
      for (let turn = 0; turn < 60; turn++) await clientOf(connection).call(READ);
    }
    expect(stub.requests).toHaveLength(120);
  });
});

describe("lines", () => {
  test("at most four calls of a user run at the same time", async () => {
    await using stub = new Stub().on("book", together(4, book()));
    const connection = to(stub);
    await Promise.all(Array.from({ length: 12 }, () => clientOf(connection).call(READ)));
    expect(stub.busiest).toBe(4);
  });

  test("writes of all users to one spreadsheet are sequential, to two spreadsheets concurrent", async () => {
    const begun: string[] = [];
    const work = (id: string, name: string) => {
      const end = Promise.withResolvers<void>();
      const done = clientOf(new Connection({})).alone(id, async () => {
        begun.push(name);
        await end.promise;
      });
      return { end: end.resolve, done };
    };
    const works = [work("a", "a1"), work("a", "a2"), work("b", "b1")];
    expect(begun).toEqual(["a1", "b1"]);
    works[0]?.end();
    await works[0]?.done;
    expect(begun).toEqual(["a1", "b1", "a2"]);
    for (const { end, done } of works) {
      end();
      await done;
    }
  });

  test("a failure does not block later calls", async () => {
    const connection = new Connection({});
    const failed = clientOf(connection).alone("a", () => Promise.reject(new Error("no")));
    const next = clientOf(connection).alone("a", async () => "done");
    expect(await failed.catch(() => "failed")).toBe("failed");
    expect(await next).toBe("done");
  });
});

describe("addresses", () => {
  test("a base keeps its path, and path segments are encoded once", async () => {
    await using stub = new Stub().on("book", book());
    const base = `${stub.url}/google/api/`;
    const client = clientOf(new Connection({ sheets: base, drive: base, userinfo: stub.url }));
    await client.call(updateValue("book", "'TEste Nome/?#% 😀'!A1", "x"));
    expect(stub.requests[0]?.address).toStartWith(
      "/google/api/v4/spreadsheets/book/values/%27TEste%20Nome%2F%3F%23%25%20%F0%9F%98%80%27%21A1?",
    );
    expect(JSON.parse(stub.requests[0]?.body ?? "")).toMatchObject({ range: "'TEste Nome/?#% 😀'!A1" });
  });

  test("the token is only in the header, and answers may be compressed", async () => {
    await using stub = new Stub().on("book", book());
    await clientOf(to(stub, { token: "ya29.secret" })).call(READ);
    const [{ address, headers, body } = { address: "", headers: new Headers(), body: "" }] = stub.requests;
    expect(headers.get("authorization")).toBe("Bearer ya29.secret");
    expect(headers.get("accept")).toBe("application/json");
    expect(headers.get("accept-encoding")).toContain("gzip");
    expect(headers.get("content-type")).toBeNull();
    expect(address + body).not.toContain("ya29");
  });

  test("no error contains the token or the address", async () => {
    await using stub = new Stub().on("book", page(503));
    const error = await failureOf(clientOf(to(stub, { token: "ya29.secret" })).call(WRITE));
    const told = JSON.stringify([error.message, error.details]);
    expect(told).toContain("503");
    for (const secret of ["ya29", "valueInputOption", stub.url, "Bad Gateway"])
      expect(told).not.toContain(secret);
  });
});
