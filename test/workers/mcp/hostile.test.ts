// MCP servers that want to do harm. Each ends as a failure by name; others do not notice, and memory stays flat.
import { describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { ToolError } from "../../../src/tools";
import {
  events,
  notification,
  reply,
  result,
  TEXT,
  Upstream,
  type UpstreamOptions,
} from "../../support/mcp-upstream";
import { kindOf, ran, storedTool, workerAt } from "./worker";

const MB = 1024 * 1024;
const FAMILIES = ["legacy", "modern"] as const;
const tool = storedTool("t");

/** Bytes that never end, as fast as they are read. */
function endless(type: string, start = ""): Response {
  const part = new Uint8Array(64 * 1024).fill(0x20);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    pull: (controller) => controller.enqueue(part),
  });
  return new Response(body, { headers: { "content-type": type } });
}

/** What both ways of asking a server end with. */
async function failures(
  options: UpstreamOptions,
  timeoutMs = 5000,
): Promise<{ read: unknown; call: unknown }> {
  await using server = new Upstream(options);
  const worker = workerAt(server.url, { timeoutMs });
  const kind = kindOf();
  const read = await kind.read(worker, {}).catch((error: unknown) => error);
  const call = await ran(kind, worker, tool).catch((error: unknown) => error);
  return { read, call };
}

const both = (handle: (id: unknown) => Response): NonNullable<UpstreamOptions["methods"]> => ({
  "tools/list": ({ id }) => handle(id),
  "tools/call": ({ id }) => handle(id),
});

describe("a server that", () => {
  test("never answers", async () => {
    await using server = new Upstream({ before: () => new Promise(() => undefined) });
    const worker = workerAt(server.url, { timeoutMs: 300 });

    await expect(kindOf().read(worker, {})).rejects.toMatchObject({ reason: "timeout" });
    await expect(ran(kindOf(), worker, tool)).rejects.toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
    });
  });

  test.each(FAMILIES)("begins a stream and sends only comments (%s)", async (family) => {
    const comments = (): Response => {
      async function* stream(): AsyncGenerator<string> {
        for (;;) {
          await Bun.sleep(20);
          yield ": still here\n\n";
        }
      }
      return events(stream());
    };

    const { read, call } = await failures({ family, methods: both(comments) }, 500);

    expect(read).toMatchObject({ reason: "timeout" });
    expect(call).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT" });
  });

  test.each([
    ["JSON", () => endless("application/json", '{"jsonrpc":"2.0","id":1,"result":{"tools":[')],
    ["an event", () => endless("text/event-stream", 'data: {"jsonrpc"')],
    ["events", () => endless("text/event-stream", "\n")],
    ["an error", () => new Response(endless("text/plain").body, { status: 500 })],
  ])("sends %s without an end", async (_what, handle) => {
    for (const family of FAMILIES) {
      const { read, call } = await failures({ family, methods: both(handle) });

      expect(read).toMatchObject({ reason: "too_large" });
      expect(call).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR" });
    }
  });

  test.each([80, 990, 3000, 100_000])(
    "sends a schema of %p levels, and loses only that tool",
    async (levels) => {
      const deep = `${'{"a":'.repeat(levels)}"]}"${"}".repeat(levels)}`;
      const tools = `[{"name":"deep","inputSchema":${deep}},{"name":"a","inputSchema":{"type":"object"}}]`;

      const { read } = await failures({
        methods: {
          "tools/list": ({ id }) =>
            new Response(`{"jsonrpc":"2.0","id":${String(id)},"result":{"tools":${tools}}}`, {
              headers: { "content-type": "application/json" },
            }),
        },
      });

      expect(read).toMatchObject({
        tools: [{ name: "a" }],
        skipped: [{ name: "deep", reason: expect.stringContaining("input schema") }],
      });
    },
  );

  test("sends a result of 3,000 levels", async () => {
    const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;

    const { call } = await failures({
      methods: {
        "tools/call": ({ id }) =>
          new Response(`{"jsonrpc":"2.0","id":${String(id)},"result":{"structuredContent":${deep}}}`, {
            headers: { "content-type": "application/json" },
          }),
      },
    });

    expect(call).toMatchObject({ message: expect.stringContaining("nested too deeply") });
  });

  test.each([
    ["the address of cloud metadata", "http://169.254.169.254/latest/meta-data/"],
    ["another server", "https://other.example/mcp"],
  ])("redirects to %s", async (_what, location) => {
    const { read, call } = await failures({
      before: () => new Response(null, { status: 307, headers: { location } }),
    });

    expect(read).toMatchObject({ reason: "refused" });
    expect(call).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR" });
  });

  test.each(FAMILIES)("sends 10,000 notifications before each reply (%s)", async (family) => {
    const many = (id: unknown, value: object): Response =>
      events([
        ...Array.from({ length: 10_000 }, (_, at) =>
          notification(at % 2 === 0 ? "notifications/progress" : "notifications/message", {
            progressToken: id,
            progress: at,
            data: "x".repeat(100),
          }),
        ),
        result(id, value),
      ]);

    const { read, call } = await failures({
      family,
      methods: {
        "tools/list": ({ id }) => many(id, { tools: [] }),
        "tools/call": ({ id }) => many(id, TEXT("ok")),
      },
    });

    expect(read).toMatchObject({ tools: [] });
    expect(call).toMatchObject({ value: "ok" });
  });

  test("asks and asks before its reply", async () => {
    const asking = (id: unknown): Response =>
      events([
        ...Array.from({ length: 1000 }, (_, at) => ({ jsonrpc: "2.0", id: at, method: "ping" })),
        result(id, TEXT("ok")),
      ]);

    const { read, call } = await failures({ methods: both(asking) });

    expect(read).toMatchObject({ reason: "protocol", message: expect.stringContaining("too many requests") });
    expect(call).toMatchObject({ message: expect.stringContaining("too many requests") });
  });

  test.each(FAMILIES)("sends what is not a message (%s)", async (family) => {
    for (const text of [
      "{",
      "null",
      "[]",
      '{"jsonrpc":"1.0"}',
      '{"jsonrpc":"2.0","id":1}',
      '"x"',
      "\u0000",
    ]) {
      const { read, call } = await failures({
        family,
        methods: both(() => new Response(text, { headers: { "content-type": "application/json" } })),
      });

      expect(read).toMatchObject({ reason: "protocol" });
      expect(call).toBeInstanceOf(ToolError);
    }
  });

  test("sends results of other kinds", async () => {
    for (const value of [
      { tools: null },
      { tools: "x" },
      { tools: { length: 1e9 } },
      { nextCursor: 5 },
      {},
    ]) {
      const { read } = await failures({ methods: { "tools/list": ({ id }) => reply(id, value) } });

      expect(read).toMatchObject({ tools: [] });
    }
  });

  test("closes the connection in the middle", async () => {
    const starts = [
      "",
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:",
    ];
    for (const start of starts) {
      const server = createServer((socket: Socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.end(start));
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      server.listen(0, "127.0.0.1", resolve);
      await promise;
      const address = server.address();
      const worker = workerAt(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`);

      await expect(kindOf().read(worker, {})).rejects.toMatchObject({ reason: "unreachable" });
      await expect(ran(kindOf(), worker, tool)).rejects.toMatchObject({
        kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
      });
      server.close();
    }
  });

  test("gives a session id that is not one", async () => {
    for (const id of ["", " ", "ä", "x".repeat(3000)]) {
      const { call } = await failures({
        before: async (request) => {
          const message = JSON.parse(await request.clone().text());
          if (message.method !== "initialize") return undefined;
          const started = {
            protocolVersion: "2025-11-25",
            capabilities: {},
            serverInfo: { name: "x", version: "1" },
          };
          return new Response(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: started }), {
            headers: { "content-type": "application/json", "mcp-session-id": id },
          });
        },
      });

      expect(call).toBeInstanceOf(ToolError);
    }
  });
});

test("what a server does costs calls of another worker nothing", async () => {
  await using hostile = new Upstream({ methods: both(() => endless("application/json", "{")) });
  await using silent = new Upstream({ before: () => new Promise(() => undefined) });
  await using good = new Upstream({ methods: { "tools/call": () => TEXT("ok") } });
  const kind = kindOf();
  const bad = [hostile, silent].map((server, at) =>
    ran(kind, workerAt(server.url, { id: `bad-${at}`, timeoutMs: 2000 }), tool),
  );
  const ended: string[] = [];
  for (const one of bad) one.catch(() => ended.push("bad"));

  for (let call = 0; call < 20; call++) await ran(kind, workerAt(good.url), tool);
  ended.push("good");
  await Promise.allSettled(bad);

  expect(ended.indexOf("good")).toBeLessThan(2);
});

test("memory does not grow with what hostile servers have sent", async () => {
  const size = (): number => {
    Bun.gc(true);
    return process.memoryUsage().rss;
  };
  const round = async (): Promise<void> => {
    await failures({ methods: both(() => endless("application/json", "{")) });
    await failures({ methods: both(() => endless("text/event-stream", "data: ")) });
  };
  await round();
  await round();
  const before = size();

  for (let count = 0; count < 6; count++) await round();

  // Each round sends 60 MB and more.
  expect(size() - before).toBeLessThan(100 * MB);
});
