// Waits, repeats, limits: how often a call is sent, and when it is not.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../catalogs/chat/client";
import { Connection, failureOf } from "./run";
import { refusal, Stub, type StubAnswer, throttle } from "./stub";

const USER = { user: { id: "U1" } };
const POSTED = { channel: "C1", ts: "1.0", message: {} };
const broken = (): Response => new Response("<html>", { status: 502 });

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
    apiUrl: `http://127.0.0.1:${server.port}/`,
    get requests() {
      return requests;
    },
    [Symbol.dispose]: () => server.stop(true),
  };
}

describe("reads", () => {
  test.each<[string, StubAnswer]>([
    ["a 5xx", broken()],
    ["a transient code", refusal("internal_error")],
    ["a body that is not JSON", new Response("<html>")],
  ])("are retried once after %s", async (_, first) => {
    await using stub = new Stub().on("users.info", first, USER);
    const connection = new Connection(stub.apiUrl);
    expect(await new ChatClient(connection.context()).call("users.info")).toMatchObject(USER);
    expect(stub.calls()).toBe(2);
    const [pause = 0, ...others] = connection.clock.sleeps;
    expect(pause).toBeWithin(200, 601);
    expect(others).toEqual([]);
  });

  test("are retried once when the connection breaks", async () => {
    using server = silentServer();
    const client = new ChatClient(new Connection(server.apiUrl).context());
    const error = await failureOf(client.call("users.info"));
    expect(error.kind).toBe("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE");
    expect(error.canRetry).toBe(true);
    expect(server.requests).toBe(2);
  });

  test("are not retried when no time is left", async () => {
    let connection: Connection | undefined;
    const slow = (): Response => {
      connection?.clock.move(1000);
      return broken();
    };
    await using stub = new Stub().on("users.info", slow, USER);
    connection = new Connection(stub.apiUrl, { timeMs: 1000 });
    await failureOf(new ChatClient(connection.context()).call("users.info"));
    expect(stub.calls()).toBe(1);
  });

  test("end with a timeout when the platform does not answer", async () => {
    await using stub = new Stub().on("users.info", () => Bun.sleep(5000).then(() => USER));
    const client = new ChatClient(new Connection(stub.apiUrl, { requestMs: 250 }).context());
    const error = await failureOf(client.call("users.info"));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", canRetry: true });
    expect(stub.calls()).toBe(2);
  });
});

describe("an answer that does not come", () => {
  const hangs = () => Bun.sleep(5000).then(() => USER);

  test.each([[true], [false]])("leaves time for another try of a read (in a listing: %p)", async (paging) => {
    await using stub = new Stub().on("users.info", hangs, USER);
    // Half a second for the run, and as much for one request.
    const connection = new Connection(stub.apiUrl, { timeMs: 500, requestMs: 500 });
    const client = new ChatClient({ ...connection.context(), sleep: async () => undefined });
    expect(await client.call("users.info", {}, { paging })).toMatchObject(USER);
    expect(stub.calls()).toBe(2);
  });
});

describe("a post is sent once", () => {
  test.each<[string, StubAnswer, string]>([
    ["a 5xx", broken(), "UPSTREAM_RUNTIME_SERVER_ERROR"],
    ["a transient code", refusal("internal_error"), "UPSTREAM_RUNTIME_SERVER_ERROR"],
    ["a body that is not JSON", new Response("<html>"), "UPSTREAM_RUNTIME_SERVER_ERROR"],
  ])("and %s leaves its outcome unknown", async (_, answer, kind) => {
    await using stub = new Stub().on("chat.postMessage", answer);
    const error = await failureOf(
      new ChatClient(new Connection(stub.apiUrl).context()).call("chat.postMessage"),
    );
    expect(error).toMatchObject({ kind, canRetry: false, details: { extra: { outcome: "unknown" } } });
    expect(stub.calls()).toBe(1);
  });

  test("and a broken connection leaves its outcome unknown", async () => {
    using server = silentServer();
    const client = new ChatClient(new Connection(server.apiUrl).context());
    const error = await failureOf(client.call("chat.postMessage"));
    expect(error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
      canRetry: false,
      details: { extra: { outcome: "unknown" } },
    });
    expect(server.requests).toBe(1);
  });

  test("and an answer after the time leaves its outcome unknown", async () => {
    await using stub = new Stub().on("chat.postMessage", () => Bun.sleep(5000).then(() => POSTED));
    const client = new ChatClient(new Connection(stub.apiUrl, { requestMs: 250 }).context());
    const error = await failureOf(client.call("chat.postMessage"));
    expect(error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
      canRetry: false,
      details: { extra: { outcome: "unknown" } },
    });
    expect(stub.calls()).toBe(1);
  });

  test("and a caller that disconnects during the request leaves its outcome unknown", async () => {
    await using stub = new Stub().on("chat.postMessage", () => Bun.sleep(5000).then(() => POSTED));
    const caller = new AbortController();
    const client = new ChatClient(new Connection(stub.apiUrl, { signal: caller.signal }).context());
    const work = failureOf(client.call("chat.postMessage"));
    while (stub.calls() === 0) await Bun.sleep(1);
    caller.abort();
    expect(await work).toMatchObject({ canRetry: false, details: { extra: { outcome: "unknown" } } });
  });

  test("and its outcome is known if there was no connection", async () => {
    const client = new ChatClient(new Connection("http://127.0.0.1:9/").context());
    const error = await failureOf(client.call("chat.postMessage"));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", canRetry: true });
    expect(error.details.extra).toBeUndefined();
  });

  test("and a refusal is a known outcome", async () => {
    await using stub = new Stub().on("chat.postMessage", refusal("something_new"));
    const error = await failureOf(
      new ChatClient(new Connection(stub.apiUrl).context()).call("chat.postMessage"),
    );
    expect(error.details.extra).not.toHaveProperty("outcome");
    expect(stub.calls()).toBe(1);
  });
});

describe("rate limits", () => {
  test("a post waits once when the wait fits, and is then sent", async () => {
    await using stub = new Stub().on("chat.postMessage", throttle("3"), POSTED);
    const connection = new Connection(stub.apiUrl);
    expect(await new ChatClient(connection.context()).call("chat.postMessage")).toMatchObject(POSTED);
    expect(stub.calls()).toBe(2);
    expect(connection.clock.sleeps).toEqual([3000]);
  });

  test("a second limit is not waited for", async () => {
    await using stub = new Stub().on("users.info", throttle("1"), throttle("2"), USER);
    const connection = new Connection(stub.apiUrl);
    const error = await failureOf(new ChatClient(connection.context()).call("users.info"));
    expect(error.details.retryAfterMs).toBe(2000);
    expect(stub.calls()).toBe(2);
  });

  test.each([
    [30, 0],
    [29, 0],
    [28, 1],
  ])("a wait of %d s of the 30 that a listing has is made %d times", async (seconds, waits) => {
    await using stub = new Stub().on("users.list", throttle(String(seconds)), {});
    const connection = new Connection(stub.apiUrl);
    const client = new ChatClient(connection.context());
    const work = client.call("users.list", {}, { paging: true });
    if (waits === 1) await work;
    else {
      const error = await failureOf(work);
      expect(error.kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");
      expect(error.message).toContain(`Try again in ${seconds} s.`);
      expect(error.details.retryAfterMs).toBe(seconds * 1000);
    }
    expect(connection.clock.sleeps).toHaveLength(waits);
  });

  test("posts are limited for each conversation by itself", async () => {
    await using stub = new Stub().on("chat.postMessage", ({ params }) =>
      params["channel"] === "C1" ? throttle("60") : POSTED,
    );
    const connection = new Connection(stub.apiUrl);
    const post = (channel: string) =>
      new ChatClient(connection.context()).call("chat.postMessage", { channel });
    await failureOf(post("C1"));
    await post("C2");
    expect((await failureOf(post("C1"))).kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");
    expect(stub.calls()).toBe(2);
  });

  test("a run waits once per method for a rate limit", async () => {
    await using stub = new Stub()
      .on("users.info", throttle("1"), USER, throttle("1"))
      .on("users.list", throttle("2"), {});
    const connection = new Connection(stub.apiUrl);
    const client = new ChatClient(connection.context());
    await client.call("users.info");
    expect((await failureOf(client.call("users.info"))).kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");
    await client.call("users.list");
    expect(connection.clock.sleeps).toEqual([1000, 2000]);
  });

  test("a call without waiting fails at once, and nothing is sent during the block", async () => {
    await using stub = new Stub().on("users.info", throttle("1"), USER);
    const connection = new Connection(stub.apiUrl);
    const client = new ChatClient(connection.context());
    for (const _ of [1, 2]) {
      const error = await failureOf(client.call("users.info", {}, { wait: false }));
      expect(error.details.retryAfterMs).toBe(1000);
    }
    expect(stub.calls()).toBe(1);
    expect(connection.clock.sleeps).toEqual([]);
  });

  test("queued calls do not run into a limit that another call hit", async () => {
    await using stub = new Stub().on("users.info", throttle("2"), USER);
    const connection = new Connection(stub.apiUrl);
    const client = new ChatClient(connection.context());
    await client.together(Array.from({ length: 20 }, () => client.call("users.info")));
    expect(stub.calls()).toBe(21);
    expect(new Set(connection.clock.sleeps).size).toBeGreaterThan(0);
    expect(connection.clock.now() - Date.parse("2026-03-08T12:00:00Z")).toBeGreaterThanOrEqual(2000);
  });

  test("a timer that fires a moment early is set again", async () => {
    await using stub = new Stub().on("users.info", throttle("1"), USER);
    const connection = new Connection(stub.apiUrl);
    const { clock } = connection;
    const context = {
      ...connection.context(),
      sleep: async (ms: number) => clock.move(ms > 1 ? ms - 1 : ms),
    };
    expect(await new ChatClient(context).call("users.info")).toMatchObject(USER);
  });

  test("a block is cached: other runs of the connection fail without a request until it ends", async () => {
    await using stub = new Stub().on("users.info", throttle("60"), USER);
    const connection = new Connection(stub.apiUrl);
    await failureOf(new ChatClient(connection.context()).call("users.info"));
    connection.clock.move(10_000);

    const error = await failureOf(new ChatClient(connection.context()).call("users.info"));
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 50_000 } });
    expect(stub.calls()).toBe(1);

    connection.clock.move(50_000);
    expect(await new ChatClient(connection.context()).call("users.info")).toMatchObject(USER);
    expect(stub.calls()).toBe(2);
  });

  test("a cached block that fits is waited for", async () => {
    await using stub = new Stub().on("users.info", throttle("60"), USER);
    const connection = new Connection(stub.apiUrl);
    await failureOf(new ChatClient(connection.context()).call("users.info"));
    connection.clock.move(55_000);
    await new ChatClient(connection.context()).call("users.info");
    expect(connection.clock.sleeps).toEqual([5000]);
  });

  test("other methods and other connections are not blocked", async () => {
    await using stub = new Stub().on("users.info", throttle("60"), USER).on("auth.test", {});
    const connection = new Connection(stub.apiUrl);
    await failureOf(new ChatClient(connection.context()).call("users.info"));
    await new ChatClient(connection.context()).call("auth.test");
    await new ChatClient(new Connection(stub.apiUrl).context()).call("users.info");
    expect(stub.calls()).toBe(3);
  });
});

describe("one run", () => {
  test("has at most three concurrent requests", async () => {
    await using stub = new Stub().on("users.info", () => Bun.sleep(5).then(() => USER));
    const client = new ChatClient(new Connection(stub.apiUrl).context());
    await client.together(Array.from({ length: 10 }, () => client.call("users.info")));
    expect(stub.calls()).toBe(10);
    expect(stub.busiest).toBe(3);
  });

  test("aborts its other requests when one fails", async () => {
    await using stub = new Stub()
      .on("users.info", refusal("user_not_visible"))
      .on("users.list", () => Bun.sleep(5000).then(() => ({})));
    const client = new ChatClient(new Connection(stub.apiUrl).context());
    const work = client.together([client.call("users.list"), client.call("users.info")]);
    expect((await failureOf(work)).kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(client.ended).toBe(true);
  });

  test("ends when the caller disconnects, and queued requests are not sent", async () => {
    await using stub = new Stub().on("users.info", USER);
    const client = new ChatClient(new Connection(stub.apiUrl, { signal: AbortSignal.abort() }).context());
    const error = await failureOf(client.call("users.info"));
    expect(error.kind).toBe("NETWORK_TRANSPORT_RUNTIME_TIMEOUT");
    expect(stub.calls()).toBe(0);
  });

  test("takes over shared work from a run that was ended", async () => {
    const aborted = Promise.withResolvers<void>();
    await using stub = new Stub().on("auth.test", () => aborted.promise.then(() => ({ user_id: "U1" })));
    const connection = new Connection(stub.apiUrl);
    const ender = new AbortController();
    const ended = new ChatClient(connection.context({ signal: ender.signal }));
    const first = failureOf(ended.shared("who", () => ended.call("auth.test")));
    const client = new ChatClient(connection.context());
    const second = client.shared("who", () => client.call("auth.test"));
    while (stub.calls() === 0) await Bun.sleep(1);
    ender.abort();
    expect((await first).kind).toBe("NETWORK_TRANSPORT_RUNTIME_TIMEOUT");
    aborted.resolve();
    expect(await second).toMatchObject({ user_id: "U1" });
    expect(stub.calls()).toBe(2);
  });
});
