// Sessions of revisions until 2025-11-25: sealed, so they survive a restart, and bound to their caller.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startServer } from "../../server";
import { client, type McpSite, post, request, valueAt, startMcpSite } from "./site";

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite();
  url = await site.gateway("sessions");
  key = await site.key();
});
afterAll(() => site[Symbol.asyncDispose]());

const alice = () => client(url, { key, user: "alice" });
const list = (session: string, by = { key, user: "alice" }, address = url) =>
  client(address, by).legacy("tools/list", {}, { "mcp-session-id": session });

describe("a session id", () => {
  test("contains only visible ASCII, and no readable data", async () => {
    const { session } = await alice().initialize({ elicitation: { url: {} } });
    expect(session).toMatch(/^[\x21-\x7E]{40,1000}$/);
    expect(Buffer.from(session, "base64url").toString("latin1")).not.toContain("alice");
  });

  test("is unique", async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await alice().initialize()).session),
    );
    expect(new Set(ids).size).toBe(20);
  });

  test("works in another process of the deployment, and after a restart [fault: lost-session]", async () => {
    const { session } = await alice().initialize();
    const other = await startServer(await site.deployment.another());
    try {
      expect((await list(session, undefined, `${other.address}/mcp/sessions`)).status).toBe(200);
    } finally {
      await other.stop();
    }
  });

  test.each<[string, (session: string) => string]>([
    ["made up", () => "made-up"],
    ["a UUID of another server", () => "6f1c6bd0-4a3e-4d3b-9e55-2c7f3f0d8f11"],
    ["cut short", (session) => session.slice(0, -4)],
    [
      "changed in one letter",
      (session) => session.slice(0, -3) + (session.at(-3) === "A" ? "B" : "A") + session.slice(-2),
    ],
    ["with an empty body", (session) => session.split(".").slice(0, 2).join(".") + "."],
    ["with thousands of characters", () => "x".repeat(5000)],
  ])("that is %s is 404 [fault: lost-session]", async (_what, made) => {
    const { session } = await alice().initialize();
    const answer = await list(made(session));
    expect([answer.status, valueAt(answer, "error.code")]).toEqual([404, -32001]);
  });

  test("of another gateway is 404", async () => {
    const elsewhere = await site.gateway("elsewhere");
    const { session } = await client(elsewhere, { key, user: "alice" }).initialize();
    expect((await list(session)).status).toBe(404);
  });

  test("of another user or key is 404 [fault: lost-session]", async () => {
    const { session } = await alice().initialize();
    expect((await list(session)).status).toBe(200);
    expect((await list(session, { key, user: "bob" })).status).toBe(404);
    expect((await list(session, { key: await site.key(), user: "alice" })).status).toBe(404);
  });
});

describe("requests without a session", () => {
  test("work without an id [fault: lost-session] [fault: unknown-revision]", async () => {
    expect((await alice().legacy("tools/list")).status).toBe(200);
  });

  test("initialize with the id of an old session [fault: lost-session]", async () => {
    const answer = await alice().legacy(
      "initialize",
      { protocolVersion: "2025-06-18" },
      { "mcp-session-id": "gone" },
    );
    expect([answer.status, valueAt(answer, "result.protocolVersion")]).toEqual([200, "2025-06-18"]);
    expect(answer.headers.get("mcp-session-id")).toBeTruthy();
  });

  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2099-01-01", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
  ])("initialize for revision %p gets %s [fault: unknown-revision]", async (protocolVersion, given) => {
    const answer = await alice().legacy("initialize", { protocolVersion });
    expect([answer.status, valueAt(answer, "result.protocolVersion")]).toEqual([200, given]);
  });

  test.each([undefined, 7])(
    "initialize for revision %p is refused [fault: unknown-revision]",
    async (protocolVersion) => {
      const answer = await alice().legacy("initialize", { protocolVersion });
      expect([answer.status, valueAt(answer, "error.code"), valueAt(answer, "id")]).toEqual([200, -32602, 1]);
      expect(answer.headers.has("mcp-session-id")).toBe(false);
    },
  );

  test.each(["2099-01-01", "foo", ""])(
    "with the header MCP-Protocol-Version %p are 400 [fault: unknown-revision]",
    async (version) => {
      const headers = { "mcp-protocol-version": version };
      const answer = await alice().legacy("tools/list", {}, headers);
      expect([answer.status, valueAt(answer, "error.data.supported.0")]).toEqual([400, "2026-07-28"]);
      const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
      expect((await post(url, notification, { key, user: "alice", headers })).status).toBe(400);
    },
  );

  test("GET and DELETE are 405 with Allow", async () => {
    for (const [method, allow] of [
      ["GET", "OPTIONS, POST"],
      ["DELETE", "GET, OPTIONS, POST"],
    ] as const) {
      const answer = await fetch(url, { method, headers: { authorization: `Bearer ${key}` } });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    }
  });
});

describe("messages without a reply", () => {
  test.each(["notifications/initialized", "notifications/cancelled", "notifications/made-up"])(
    "%s gets 202 and an empty body [fault: notification-body]",
    async (method) => {
      for (const headers of [{}, { "mcp-protocol-version": "2026-07-28" }]) {
        const answer = await post(
          url,
          { jsonrpc: "2.0", method, params: {} },
          { key, user: "alice", headers },
        );
        expect([answer.status, answer.text]).toEqual([202, ""]);
      }
    },
  );

  test("a response without a request gets 202", async () => {
    const answer = await post(url, { jsonrpc: "2.0", id: 1, result: {} }, { key, user: "alice" });
    expect([answer.status, answer.text]).toEqual([202, ""]);
  });
});

describe("an invalid message", () => {
  test.each<[string, unknown, number, number]>([
    ["broken JSON", "{broken", 400, -32700],
    ["no body", "", 400, -32700],
    ["a request whose id is null [fault: notification-body]", request("ping", {}, null), 400, -32600],
    ["a request whose id is a list", request("ping", {}, [1]), 400, -32600],
    ["a list of requests", [request("ping")], 400, -32600],
    ["a text", '"ping"', 400, -32600],
  ])("%s is refused without an id", async (_what, message, status, code) => {
    const answer = await post(url, message, { key, user: "alice" });
    expect([answer.status, valueAt(answer, "error.code")]).toEqual([status, code]);
    expect(Object.hasOwn(answer.messages[0] ?? {}, "id")).toBe(false);
  });

  test.each<[string, unknown, number]>([
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
    ["a request without a method", { jsonrpc: "2.0", id: 1 }, -32600],
    ["parameters in a list", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }, -32602],
  ])("%s is refused with its id", async (_what, message, code) => {
    const answer = await post(url, message, { key, user: "alice" });
    const reply = [answer.status, valueAt(answer, "error.code"), valueAt(answer, "id")];
    expect(reply).toEqual([400, code, 1]);
  });

  test("another content type than JSON is 415", async () => {
    const answer = await post(url, request("ping"), {
      key,
      user: "alice",
      headers: { "content-type": "text/plain" },
    });
    expect(answer.status).toBe(415);
  });
});
