// Sessions at MCP servers: whose they are, and what becomes of lost ones.
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/base";
import type { LoadedWorker } from "../../../src/workers/tool";
import { failure, TEXT, Upstream, type UpstreamOptions } from "../../support/mcp-upstream";
import { type By, kindOf, ran, storedTool, workerAt } from "./worker";

const tool = storedTool("t");

function upstream(options: UpstreamOptions = {}): Upstream {
  return new Upstream({ ...options, methods: { "tools/call": () => TEXT("ok"), ...options.methods } });
}

const sessionsOf = (server: Upstream) => server.calls("tools/call").map(({ session }) => session);

describe("a session", () => {
  test("is used again by its user", async () => {
    await using server = upstream();
    const kind = kindOf();

    for (let call = 0; call < 3; call++) await ran(kind, workerAt(server.url), tool);

    expect(sessionsOf(server)).toEqual(["session-1", "session-1", "session-1"]);
  });

  test("is begun once by calls at the same time", async () => {
    await using server = upstream();
    const kind = kindOf();
    await ran(kind, workerAt(server.url), tool, {}, { user: "first" });

    await Promise.all(Array.from({ length: 10 }, () => ran(kind, workerAt(server.url), tool)));

    expect(server.calls("initialize")).toHaveLength(2);
  });

  const OTHERS: [string, { by?: By; worker?: Partial<LoadedWorker> }][] = [
    ["user", { by: { user: "bob" } }],
    ["connection of the same user", { by: { connection: "ac_other", token: "t" } }],
    ["project with a worker of the same name", { worker: { projectId: "other" } }],
    ["worker at the same address", { worker: { id: "other" } }],
    ["credential in the record", { worker: { headers: async () => ({ "x-api-key": "2" }) } }],
  ];

  test.each(OTHERS)("is not shared with another %s", async (_other, { by = {}, worker = {} }) => {
    await using server = upstream();
    const kind = kindOf();

    await ran(kind, workerAt(server.url), tool, {}, by.token === undefined ? {} : { token: "t" });
    await ran(kind, workerAt(server.url, worker), tool, {}, by);

    expect(sessionsOf(server)).toEqual(["session-1", "session-2"]);
  });

  test("survives a new token of the same connection", async () => {
    await using server = upstream();
    const kind = kindOf();

    for (const token of ["one", "two"]) await ran(kind, workerAt(server.url), tool, {}, { token });

    expect(sessionsOf(server)).toEqual(["session-1", "session-1"]);
    expect(server.calls("tools/call").map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer one",
      "Bearer two",
    ]);
  });

  test("of the 1,001st user ends the one that was used the longest time ago", async () => {
    await using server = upstream();
    const kind = kindOf();
    const worker = workerAt(server.url);

    for (let user = 0; user <= 1000; user++) {
      await ran(kind, worker, tool, {}, { user: `user-${user}` });
      if (user === 999) await ran(kind, worker, tool, {}, { user: "user-0" });
    }
    await ran(kind, worker, tool, {}, { user: "user-0" });
    await Bun.sleep(0);

    expect(server.calls("initialize")).toHaveLength(1001);
    expect(server.ended).toEqual(["session-2"]);
  });

  test("that was not used for ten minutes is ended", async () => {
    await using server = upstream();
    let monotonic = 1_000_000;
    const kind = kindOf({ clock: { ...systemClock, monotonic: () => monotonic } });

    await ran(kind, workerAt(server.url), tool);
    monotonic += 10 * 60_000;
    await ran(kind, workerAt(server.url), tool, {}, { user: "bob" });
    while (server.ended.length === 0) await Bun.sleep(1);

    expect(server.ended).toEqual(["session-1"]);
    await kind.close();
  });

  test("in use is not ended when the wall clock jumps", async () => {
    await using server = upstream();
    let now = 1_000_000;
    const kind = kindOf({ clock: { ...systemClock, now: () => now } });

    await ran(kind, workerAt(server.url), tool);
    now += 60 * 60_000;
    await ran(kind, workerAt(server.url), tool, {}, { user: "bob" });
    await ran(kind, workerAt(server.url), tool);
    await Bun.sleep(20);

    expect(server.ended).toEqual([]);
    expect(server.calls("initialize")).toHaveLength(2);
    await kind.close();
  });

  test("is ended when the process stops", async () => {
    await using server = upstream();
    const kind = kindOf();
    await ran(kind, workerAt(server.url), tool);

    await kind.close();

    expect(server.ended).toEqual(["session-1"]);
  });

  test("is begun again after a failed beginning", async () => {
    let asked = 0;
    await using server = upstream({
      before: async (request) => {
        const text = await request.clone().text();
        return text.includes('"initialize"') && asked++ === 0 ? new Response("", { status: 503 }) : undefined;
      },
    });
    const kind = kindOf();

    await expect(ran(kind, workerAt(server.url), tool)).rejects.toThrow("503");
    expect((await ran(kind, workerAt(server.url), tool)).value).toBe("ok");
  });
});

describe("a lost session", () => {
  const LOST: [string, (id: unknown) => Response][] = [
    ["404", (id) => failure(id, -32001, "Session not found", { status: 404 })],
    ["404 without a message", () => new Response("gone", { status: 404 })],
    ["400 with -32001", (id) => failure(id, -32001, "unknown", { status: 400 })],
    ["400 with a word", () => new Response("Bad Request: No valid session ID provided", { status: 400 })],
    ["400 with an error that names it", (id) => failure(id, -32000, "No valid session ID", { status: 400 })],
  ];

  test.each(LOST)("(%s) is begun again, and the call is done once", async (_how, lost) => {
    let refused = 0;
    let done = 0;
    await using server = upstream({
      methods: {
        "tools/call": ({ id, session }) => {
          if (session === "session-1") {
            refused++;
            return lost(id);
          }
          done++;
          return TEXT("ok");
        },
      },
    });

    const { value } = await ran(kindOf(), workerAt(server.url), tool);

    expect([value, refused, done]).toEqual(["ok", 1, 1]);
    expect(server.faults).toEqual([]);
  });

  test("is begun once for all calls that lost it", async () => {
    await using server = upstream();
    const kind = kindOf();
    await ran(kind, workerAt(server.url), tool);
    server.sessions.clear();

    await Promise.all(Array.from({ length: 10 }, () => ran(kind, workerAt(server.url), tool)));

    expect(server.calls("initialize")).toHaveLength(2);
  });

  test("that is lost again at once is a failure by name", async () => {
    let calls = 0;
    await using server = upstream({
      methods: {
        "tools/call": ({ id }) =>
          ++calls > 5 ? TEXT("at last") : failure(id, -32001, "Session not found", { status: 404 }),
      },
    });

    await expect(ran(kindOf(), workerAt(server.url), tool)).rejects.toThrow("lost the session again");
    expect(calls).toBe(2);
  });
});

test("404 without a session is an ordinary failure", async () => {
  await using server = upstream({
    stateless: true,
    methods: { "tools/call": () => new Response("", { status: 404 }) },
  });
  const kind = kindOf();
  const call = (): Promise<unknown> => ran(kind, workerAt(server.url), tool);

  await expect(call()).rejects.toMatchObject({
    kind: "UPSTREAM_RUNTIME_NOT_FOUND",
    details: { statusCode: 404 },
  });
});
