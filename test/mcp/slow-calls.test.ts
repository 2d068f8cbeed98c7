// Calls that take long: signs of life, progress, and every way to end them early.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { client, type McpSite, post, request, send, startMcpSite, valueAt } from "./site";

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite({ environment: { RUNTIME_MCP_KEEP_ALIVE: "1" } });
  url = await site.gateway("slow");
  key = await site.key();
});
afterAll(() => site[Symbol.asyncDispose]());

const CALL = { name: "Test_Act", arguments: {} };
const alice = () => client(url, { key, user: "alice" });

/** A tool that runs until it is told to stop, and says how it ended. */
function untilStopped(): { started: Promise<void>; aborted: Promise<void> } {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  site.deployment.test.act = async (_input, { signal, sleep }) => {
    started.resolve();
    signal.addEventListener("abort", () => aborted.resolve());
    await sleep(20_000);
    return { done: true };
  };
  return { started: started.promise, aborted: aborted.promise };
}

describe("a call that says nothing for long", () => {
  beforeEach(() => {
    site.deployment.test.act = async (_input, { sleep }) => {
      await sleep(2200);
      return { done: true };
    };
  });

  test("becomes a stream with signs of life, and its result comes once [fault: silent-call]", async () => {
    const families = ["legacy", "modern"] as const;
    for (const answer of await Promise.all(families.map((family) => alice()[family]("tools/call", CALL)))) {
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      expect(answer.headers.get("x-accel-buffering")).toBe("no");
      expect(answer.text.match(/^: /gm)?.length).toBeGreaterThanOrEqual(1);
      expect(answer.messages).toHaveLength(1);
      expect(valueAt(answer, "result.structuredContent")).toEqual({ done: true });
    }
  });

  test("is still one JSON answer to a client that takes no stream", async () => {
    const headers = { accept: "application/json" };
    const answer = await client(url, { key, user: "alice", headers }).legacy("tools/call", CALL);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(valueAt(answer, "result.structuredContent")).toEqual({ done: true });
  });
});

describe("progress", () => {
  beforeEach(() => {
    site.deployment.test.act = async (_input, { caller }) => {
      for (const done of [0, 50, 50, 20, 100]) caller?.progress(done, 100);
      return { done: true };
    };
  });

  test.each(["legacy", "modern"] as const)(
    "goes ahead of the result to who asked for it (%s)",
    async (family) => {
      for (const progressToken of ["p", 7]) {
        const answer = await alice()[family]("tools/call", { ...CALL, _meta: { progressToken } });
        const told = answer.messages.slice(0, -1);
        // Values grow, or are not sent.
        expect(told).toEqual(
          [0, 50, 100].map((progress) => ({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          })),
        );
        expect(valueAt(answer, "result.structuredContent")).toEqual({ done: true });
      }
    },
  );

  test("are not sent to a caller that did not ask for them", async () => {
    const answer = await alice().legacy("tools/call", CALL);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });
});

describe("a call ends early", () => {
  const withSession = async () => {
    const { session } = await alice().initialize();
    return { "mcp-session-id": session };
  };
  const cancelled = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });
  const call = (headers: Record<string, string>, id: unknown) =>
    post(url, request("tools/call", CALL, id), { key, user: "alice", headers });

  test("when its client cancels it in its session: the tool stops, no answer comes", async () => {
    const run = untilStopped();
    const headers = await withSession();
    const answer = call(headers, "call-1");
    await run.started;
    expect((await post(url, cancelled("call-1"), { key, user: "alice", headers })).status).toBe(202);
    await run.aborted;
    expect((await answer).messages).toEqual([]);
  });

  test("not when another session, user or id is named", async () => {
    const run = untilStopped();
    let stopped = false;
    void run.aborted.then(() => (stopped = true));
    const headers = await withSession();
    const stop = new AbortController();
    const sent = { key, user: "alice", headers, signal: stop.signal };
    const answer = post(url, request("tools/call", CALL, 1), sent).catch(() => "gone");
    await run.started;
    const bob = { "mcp-session-id": (await client(url, { key, user: "bob" }).initialize()).session };
    await post(url, cancelled(1), { key, user: "alice", headers: await withSession() });
    await post(url, cancelled(1), { key, user: "bob", headers: bob });
    await post(url, cancelled(1), { key, user: "alice" });
    await post(url, cancelled("1"), { key, user: "alice", headers });
    await post(url, cancelled(2), { key, user: "alice", headers });
    await post(url, cancelled(null), { key, user: "alice", headers });
    expect((await post(url, cancelled(1), { key, user: "bob", headers })).status).toBe(404);
    expect(stopped).toBe(false);
    stop.abort();
    await run.aborted;
    expect(await answer).toBe("gone");
  });

  test("also while somebody sends a request of the second family under its session and id", async () => {
    const run = untilStopped();
    const headers = await withSession();
    const answer = call(headers, 1);
    await run.started;
    const echo = { name: "Test_Echo", arguments: {} };
    const other = await client(url, { key, user: "bob" }).modern("tools/call", echo, { headers });
    expect(valueAt(other, "result.isError")).toBeUndefined();
    await post(url, cancelled(1), { key, user: "alice", headers });
    await run.aborted;
    expect((await answer).messages).toEqual([]);
  });

  test.each(["before", "after"])(
    "when its client hangs up %s the stream has begun [fault: silent-call]",
    async (moment) => {
      const run = untilStopped();
      const stop = new AbortController();
      const call = { key, user: "alice", signal: stop.signal };
      const response = send(url, request("tools/call", CALL), call);
      const text = response.then((begun) => begun.text()).catch(() => "gone");
      await run.started;
      if (moment === "after") await response;
      stop.abort();
      await run.aborted;
      expect(await text).toBe("gone");
    },
  );

  test("a call that is over cannot be cancelled, and its id can be used again", async () => {
    site.deployment.test.act = async () => ({ done: true });
    const headers = await withSession();
    expect((await call(headers, 1)).status).toBe(200);
    await post(url, cancelled(1), { key, user: "alice", headers });
    expect(valueAt(await call(headers, 1), "result.structuredContent")).toEqual({ done: true });
  });
});
