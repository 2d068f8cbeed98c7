// Calls of tools of MCP servers: what is sent, what a failure means, and when a call is repeated.
import { describe, expect, test } from "bun:test";
import { Redacted } from "../../../src/base";
import { type Caller, GrantDead, ScopesLost, ToolError } from "../../../src/tools";
import type { LoadedWorker, WorkerTool } from "../../../src/workers/tool";
import {
  type Asked,
  events,
  failure,
  type Handle,
  notification,
  reply,
  result,
  TEXT,
  Upstream,
  type UpstreamOptions,
} from "../../support/mcp-upstream";
import { TestClock } from "../../catalogs/context";
import { type By, kindOf, ran, storedTool, workerAt } from "./worker";

const FAMILIES = ["legacy", "modern"] as const;
const READ_ONLY = { original: { annotations: { readOnlyHint: true } } };

interface Setting extends UpstreamOptions {
  worker?: Partial<LoadedWorker>;
  tool?: Partial<WorkerTool>;
  by?: By;
  input?: Record<string, unknown>;
}

/** Calls a tool of a server that handles calls in this way. */
async function called(handle: Handle, setting: Setting = {}): Promise<{ value: unknown; server: Upstream }> {
  const { worker, tool, by, input, ...options } = setting;
  await using server = new Upstream({ ...options, methods: { "tools/call": handle, ...options.methods } });
  const { value } = await ran(kindOf(), workerAt(server.url, worker), storedTool("get-it", tool), input, by);
  return { value, server };
}

describe("a call sends", () => {
  test.each(FAMILIES)("name and input as the server knows them (%s)", async (family) => {
    const input = { a: 1, list: [true, null, "x"], long: "12345678901234567890" };

    const { server } = await called(() => TEXT("ok"), { family, input });

    expect(server.calls("tools/call")[0]?.params).toMatchObject({ name: "get-it", arguments: input });
    expect(server.faults).toEqual([]);
  });

  test("the headers of the record, but not in place of those of the protocol", async () => {
    const headers = { "X-Api-Key": new Redacted("k"), Accept: "text/html", "Mcp-Session-Id": "forged" };

    const { server } = await called(() => TEXT("ok"), { worker: { headers: async () => headers } });

    for (const { headers: sent } of server.requests) expect(sent.get("x-api-key")).toBe("k");
    expect(server.faults).toEqual([]);
  });

  test("the headers that the gateway of the caller passes on; those of the record win", async () => {
    const caller: Caller = {
      capabilities: {},
      answers: {},
      state: undefined,
      headers: { "x-tenant": "blue", "x-api-key": "of the client" },
      progress: () => undefined,
      asks: () => undefined,
    };
    const headers = { "X-Api-Key": new Redacted("k") };

    const { server } = await called(() => TEXT("ok"), {
      worker: { headers: async () => headers },
      by: { context: { caller } },
    });

    const [call] = server.calls("tools/call");
    expect([call?.headers.get("x-tenant"), call?.headers.get("x-api-key")]).toEqual(["blue", "k"]);
  });

  test("the user's token in each request", async () => {
    const { server } = await called(() => TEXT("ok"), { by: { token: "user-token" } });

    expect(new Set(server.requests.map(({ headers }) => headers.get("authorization")))).toEqual(
      new Set(["Bearer user-token"]),
    );
  });

  test("parameters in headers where the schema says so", async () => {
    const properties = { region: { type: "string", "x-mcp-header": "Region" }, other: { type: "string" } };
    const tool = { input: { type: "object", properties } };

    const { server } = await called(() => TEXT("ok"), {
      family: "modern",
      tool,
      input: { region: "Zürich", other: "x" },
    });

    const [seen] = server.calls("tools/call");
    expect(seen?.headers.get("mcp-param-region")).toBe(
      `=?base64?${Buffer.from("Zürich").toString("base64")}?=`,
    );
    expect([...(seen?.headers.keys() ?? [])].filter((name) => name.startsWith("mcp-param"))).toHaveLength(1);
  });

  test("parameters in headers that the stored schema does not have yet, after the server has asked for them", async () => {
    const inputSchema = {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    };

    const { value } = await called(
      ({ id, headers }) =>
        headers.get("mcp-param-region") === "eu"
          ? TEXT("ok")
          : failure(id, -32020, "Header mismatch", { status: 400 }),
      {
        family: "modern",
        input: { region: "eu" },
        methods: { "tools/list": () => ({ tools: [{ name: "get-it", inputSchema }] }) },
      },
    );

    expect(value).toBe("ok");
  });
});

describe("a JSON-RPC error", () => {
  const CODES: [number, string][] = [
    [-32602, "TOOL_RUNTIME_BAD_INPUT_VALUE"],
    [-32601, "UPSTREAM_RUNTIME_NOT_FOUND"],
    [-32603, "UPSTREAM_RUNTIME_SERVER_ERROR"],
    [-32000, "UPSTREAM_RUNTIME_BAD_REQUEST"],
    [12, "UPSTREAM_RUNTIME_BAD_REQUEST"],
  ];

  test.each(CODES)("%p is %s, and goes to clients of gateways as it is", async (code, kind) => {
    for (const family of FAMILIES) {
      const failed = called(({ id }) => failure(id, code, "It went\u0000 wrong", { data: { a: [1] } }), {
        family,
      });

      await expect(failed).rejects.toMatchObject({
        kind,
        message: expect.stringContaining("It went wrong"),
        details: {
          extra: { json_rpc_error: { code, data: { a: [1] } } },
          answered: { error: { code, message: "It went\u0000 wrong", data: { a: [1] } } },
        },
      });
    }
  });

  test("for an unknown tool says that the stored catalog is old", async () => {
    const stale: string[] = [];
    await using server = new Upstream({
      methods: { "tools/call": ({ id }) => failure(id, -32602, "Unknown tool: get-it") },
    });
    const kind = kindOf({ stale: (project, worker) => stale.push(`${project}/${worker}`) });

    await expect(ran(kind, workerAt(server.url), storedTool("get-it"))).rejects.toBeInstanceOf(ToolError);
    expect(stale).toEqual(["default/peer"]);
  });

  test("that asks for a visit says where", async () => {
    const data = { elicitations: [{ mode: "url", url: "https://x.example/a?b=1", message: "Sign in" }] };

    const failed = called(({ id }) => failure(id, -32042, "Needs a visit", { data }));

    await expect(failed).rejects.toThrow("Needs a visit\nSign in: https://x.example/a?b=1");
    await expect(failed).rejects.toMatchObject({ details: { answered: { error: { code: -32042, data } } } });
  });
});

describe("a status", () => {
  const STATUSES: [number, string, boolean][] = [
    [400, "UPSTREAM_RUNTIME_BAD_REQUEST", false],
    [404, "UPSTREAM_RUNTIME_NOT_FOUND", false],
    [410, "UPSTREAM_RUNTIME_NOT_FOUND", false],
    [429, "UPSTREAM_RUNTIME_RATE_LIMIT", false],
    [500, "UPSTREAM_RUNTIME_SERVER_ERROR", true],
    [503, "UPSTREAM_RUNTIME_SERVER_ERROR", true],
  ];

  test.each(STATUSES)("of %p is %s", async (status, kind, isUnknown) => {
    const failed = called(() => new Response("oh", { status, headers: { "retry-after": "7" } }), {
      stateless: true,
    });

    await expect(failed).rejects.toMatchObject({ kind });
    const { details } = (await failed.catch((error: ToolError) => error)) as ToolError;
    expect(details.extra?.["outcome"] === "unknown").toBe(isUnknown);
    if (status === 429) expect(details.retryAfterMs).toBe(7000);
  });

  test("of 401 is a dead grant, after one renewed token", async () => {
    const renewed: number[] = [];
    const renew = async (): Promise<boolean> => renewed.push(1) === 1;

    const failed = called(() => new Response("", { status: 401 }), {
      by: { token: "t", context: { renew } },
    });

    await expect(failed).rejects.toBeInstanceOf(GrantDead);
    expect(renewed).toEqual([1]);
  });

  test("of 401 is not a failure if a renewed token is accepted", async () => {
    let refused = 0;
    const { value } = await called(() => (refused++ === 0 ? new Response("", { status: 401 }) : TEXT("ok")), {
      by: { token: "t", context: { renew: async () => true } },
    });

    expect(value).toBe("ok");
  });

  test("of 401 without a user's token is for the administrator", async () => {
    const failed = called(() => new Response("", { status: 401 }));

    await expect(failed).rejects.toMatchObject({
      kind: "UPSTREAM_RUNTIME_AUTH_ERROR",
      message: expect.stringContaining("runtime workers show peer"),
    });
    await expect(failed).rejects.not.toBeInstanceOf(GrantDead);
  });

  test("of 403 names the scopes that the challenge names", async () => {
    const challenge =
      'Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="https://x"';

    const failed = called(
      () => new Response("", { status: 403, headers: { "www-authenticate": challenge } }),
      {
        by: { token: "t" },
      },
    );

    await expect(failed).rejects.toBeInstanceOf(ScopesLost);
    await expect(failed).rejects.toMatchObject({ needed: ["files:read", "files:write"] });
  });

  test("of 403 without a challenge is a refusal", async () => {
    const failed = called(() => new Response("", { status: 403 }), { by: { token: "t" } });

    await expect(failed).rejects.toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST" });
  });
});

describe("a call that may have run", () => {
  const broken: Handle = () => events([notification("notifications/message", { level: "info", data: "x" })]);
  const PASSING: [string, Handle][] = [
    ["an answer that ends before the reply", broken],
    ["a status of 502", () => new Response("", { status: 502 })],
    ["nonsense", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ];

  test.each(PASSING)("is not repeated after %s", async (_what, handle) => {
    for (const family of FAMILIES) {
      let calls = 0;
      const failed = called(
        (asked) => {
          calls++;
          return handle(asked);
        },
        { family, worker: { retry: 3 }, tool: READ_ONLY },
      );

      await expect(failed).rejects.toMatchObject({
        details: { extra: { outcome: "unknown" } },
        canRetry: false,
      });
      expect(calls).toBe(1);
    }
  });

  test.each(PASSING)(
    "is repeated after %s if a trusted worker says that it only reads",
    async (_what, handle) => {
      for (const family of FAMILIES) {
        let calls = 0;
        const { value } = await called((asked) => (calls++ === 0 ? handle(asked) : TEXT("ok")), {
          family,
          worker: { retry: 1, trustAnnotations: true },
          tool: READ_ONLY,
        });

        expect([value, calls]).toEqual(["ok", 2]);
      }
    },
  );

  test.each([
    ["idempotentHint", true],
    ["openWorldHint", false],
  ])("with %s of a trusted worker: %p", async (hint, isRepeated) => {
    let calls = 0;
    const attempt = called((asked) => (calls++ === 0 ? broken(asked) : TEXT("ok")), {
      worker: { retry: 1, trustAnnotations: true },
      tool: { original: { annotations: { [hint]: true } } },
    });

    await attempt.catch(() => undefined);
    expect(calls).toBe(isRepeated ? 2 : 1);
  });
});

test("a request that did not arrive is sent again, and fails with a known outcome", async () => {
  const clock = new TestClock();
  const worker = workerAt("http://127.0.0.1:9/mcp", { retry: 2 });

  const failed = ran(kindOf(), worker, storedTool("t"), {}, { clock });

  await expect(failed).rejects.toMatchObject({
    kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
    details: expect.not.objectContaining({ extra: expect.anything() }),
  });
  expect(clock.sleeps).toHaveLength(2);
});

describe("a broken answer with event ids", () => {
  const withId = (message: object | undefined, id: string, retry = ""): string =>
    `id: ${id}\n${retry}data: ${message === undefined ? "" : JSON.stringify(message)}\n\n`;

  test("is continued once, from the last event", async () => {
    let callId: unknown;
    const { value, server } = await called(
      ({ id }) => {
        callId = id;
        return events([withId(undefined, "e-1", "retry: 1\n")]);
      },
      {
        before: (request, upstream) => {
          if (request.method !== "GET") return undefined;
          upstream.gets.push(request.headers);
          return events([withId(result(callId, TEXT("ok")), "e-2")]);
        },
      },
    );

    expect(value).toBe("ok");
    expect(server.calls("tools/call")).toHaveLength(1);
    expect(
      server.gets.map((headers) => [headers.get("last-event-id"), headers.get("mcp-session-id")]),
    ).toEqual([["e-1", "session-1"]]);
  });

  test.each([
    ["breaks again", () => events([withId(undefined, "e-2")])],
    ["is refused", () => new Response(null, { status: 405 })],
  ])("is a failure if the continuation %s", async (_what, get) => {
    let gets = 0;
    const failed = called(() => events([withId(undefined, "e-1", "retry: 1\n")]), {
      before: (request) => {
        if (request.method !== "GET") return undefined;
        gets++;
        return get();
      },
    });

    await expect(failed).rejects.toMatchObject({ details: { extra: { outcome: "unknown" } } });
    expect(gets).toBe(1);
  });
});

describe("a cancelled call", () => {
  /** A call that the server does not answer, and what the server sees of its end. */
  async function cancelled(
    family: "legacy" | "modern",
    end: (asked: Asked) => void,
    by: By,
  ): Promise<unknown[]> {
    const closed = Promise.withResolvers<void>();
    await using server = new Upstream({
      family,
      methods: {
        "tools/call": (asked) => {
          asked.request.signal.addEventListener("abort", () => closed.resolve());
          end(asked);
          return new Promise(() => undefined);
        },
      },
    });
    await expect(ran(kindOf(), workerAt(server.url), storedTool("t"), {}, by)).rejects.toBeInstanceOf(
      ToolError,
    );
    await closed.promise;
    if (family === "legacy") while (server.cancelled.length === 0) await Bun.sleep(1);
    return server.cancelled;
  }

  test("of revision 2026-07-28 is told by closing the request", async () => {
    const stop = new AbortController();

    expect(await cancelled("modern", () => stop.abort(), { signal: stop.signal })).toEqual([]);
  });

  test("of a session is also told by a notification", async () => {
    const stop = new AbortController();
    let id: unknown;

    const told = await cancelled(
      "legacy",
      (asked) => {
        ({ id } = asked);
        stop.abort();
      },
      { signal: stop.signal },
    );

    expect(told).toEqual([id]);
  });

  test("includes one whose time is over", async () => {
    expect(await cancelled("legacy", () => undefined, { timeMs: 500 })).toHaveLength(1);
  });
});

describe("while a call runs", () => {
  interface Told {
    progress: unknown[];
    logs: string[];
  }

  async function told(
    messages: (asked: Asked) => (object | string)[],
    family: "legacy" | "modern",
  ): Promise<Told> {
    const seen: Told = { progress: [], logs: [] };
    const caller = {
      capabilities: {},
      answers: {},
      state: undefined,
      progress: (...report: unknown[]) => void seen.progress.push(report),
      asks: () => undefined,
    };
    const log = (level: string, message: string): void => void seen.logs.push(`${level}: ${message}`);
    await called((asked) => events([...messages(asked), result(asked.id, TEXT("ok"))]), {
      family,
      by: { context: { caller, log } },
    });
    return seen;
  }

  const token = ({ params }: Asked): unknown => Object(params["_meta"]).progressToken;

  test.each(FAMILIES)(
    "reports of progress reach the caller, and made-up ones do not (%s)",
    async (family) => {
      const { progress } = await told(
        (asked) => [
          notification("notifications/progress", {
            progressToken: token(asked),
            progress: 1,
            total: 2,
            message: "half",
          }),
          notification("notifications/progress", { progressToken: "made-up", progress: 2 }),
          notification("notifications/progress", { progressToken: token(asked), progress: "much" }),
        ],
        family,
      );

      expect(progress).toEqual([[1, 2, "half"]]);
    },
  );

  test.each(FAMILIES)("at most 50 log messages are kept (%s)", async (family) => {
    const { logs } = await told(
      () =>
        Array.from({ length: 10_000 }, (_, index) =>
          notification("notifications/message", { level: "critical", data: `line ${index}` }),
        ),
      family,
    );

    expect(logs).toHaveLength(50);
    expect(logs[0]).toBe("error: line 0");
  });

  test("a server that pings is answered, and one that wants a model or files is told that there are none", async () => {
    const asks = ["ping", "sampling/createMessage", "roots/list", "elicitation/create"];
    const { server } = await called(async ({ id, upstream }) => {
      async function* stream(): AsyncGenerator<object> {
        for (const [index, method] of asks.entries())
          yield { jsonrpc: "2.0", id: `s${index}`, method, params: {} };
        while (upstream.replies.length < asks.length) await Bun.sleep(1);
        yield result(id, TEXT("ok"));
      }
      return events(stream());
    });

    const byId = Object.fromEntries(server.replies.map((sent) => [String(sent["id"]), sent]));
    expect(byId["s0"]).toMatchObject({ result: {} });
    for (const id of ["s1", "s2", "s3"]) expect(byId[id]).toMatchObject({ error: { code: -32601 } });
    expect([...server.sessions.values()]).toEqual([{}]);
  });
});

test("a call whose worker has less time than the run is ended, unless there is progress", async () => {
  const slow: Handle = ({ id, params }) => {
    async function* stream(): AsyncGenerator<object | string> {
      for (let step = 1; step <= 4; step++) {
        await Bun.sleep(400);
        const { progressToken } = Object(params["_meta"]);
        yield progressToken === undefined
          ? ": still here\n\n"
          : notification("notifications/progress", { progressToken, progress: step });
      }
      yield result(id, TEXT("ok"));
    }
    return events(stream());
  };
  const caller = {
    capabilities: {},
    answers: {},
    state: undefined,
    progress: () => undefined,
    asks: () => undefined,
  };

  const { value } = await called(slow, { worker: { timeoutMs: 1000 }, by: { context: { caller } } });
  expect(value).toBe("ok");
  await expect(called(slow, { worker: { timeoutMs: 1000 } })).rejects.toMatchObject({
    kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
    details: { extra: { outcome: "unknown" } },
  });
});

test("a reply to another request is not taken", async () => {
  for (const family of FAMILIES) {
    for (const forged of [
      (id: number) => reply(id + 1, TEXT("forged")),
      (id: number) => reply(String(id), TEXT("forged")),
      (id: number) => events([result(id + 1, TEXT("forged")), result(id, TEXT("late"))]),
    ]) {
      await expect(called(({ id }) => forged(Number(id)), { family })).rejects.toThrow(
        "the id of another request",
      );
    }
  }
});
