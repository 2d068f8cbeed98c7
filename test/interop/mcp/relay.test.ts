// The relay: a full server for the program that starts it, and a full client of the gateway, in both protocol families.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../support/api";
import { conformanceCatalogs, slowCatalog } from "./fixtures";
import { compare, exceptions, readExceptions } from "./exceptions";
import { type GatewaySite, startFixtureSite, startGatewaySite } from "./gateway";
import { testWithPeers } from "./peers";
import { relayOf, startBridge, through } from "./relay";
import { runClientScenario, runSuite, type SuiteRun } from "./suite";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const request = (id: unknown, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const modern = (id: unknown, method: string, params: object = {}) =>
  request(id, method, { ...params, _meta: META });
const call = (name: string, input: object = {}) => ({ name, arguments: input });
const INITIALIZE = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "x", version: "1" },
});

const RUNS: readonly SuiteRun[] = [
  { suite: "conformance-2025", revision: "2025-11-25" },
  { suite: "conformance-2026", revision: "2026-07-28" },
];
const SUITE_MS = 150_000;

describe("the conformance suite, with the relay as the server", () => {
  const more = readExceptions(readFileSync(join(import.meta.dir, "relay-exceptions.txt"), "utf8"));

  testWithPeers().each(RUNS.map((run) => [run.suite, run.revision, run] as const))(
    "%s for %s passes, except for the exceptions",
    async (_suite, _revision, run) => {
      await using site = await startFixtureSite();
      await using bridge = startBridge({ address: site.site.url, key: site.key, slug: "conformance" });
      const verdicts = await runSuite(run, `${bridge.url}/mcp`);

      expect(verdicts.scenarios.length).toBeGreaterThan(30);
      const { unexpected, passing } = compare(verdicts, [...exceptions, ...more]);
      expect({ unexpected, passing }).toEqual({ unexpected: [], passing: [] });
    },
    SUITE_MS,
  );
});

/** Scenarios for clients that are about messages. The relay sends an API key, so those about OAuth are not for it. */
const CLIENT_SCENARIOS: readonly (readonly [scenario: string, revision: string])[] = [
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["request-metadata", "2026-07-28"],
  ["http-standard-headers", "2026-07-28"],
  ["http-custom-headers", "2026-07-28"],
  ["http-invalid-tool-headers", "2026-07-28"],
  ["json-schema-ref-no-deref", "2026-07-28"],
  ["json-schema-2020-12-preservation", "2026-07-28"],
  ["sep-2322-client-request-state", "2026-07-28"],
];

describe("the conformance suite, with the relay as the client", () => {
  testWithPeers().each(CLIENT_SCENARIOS)(
    "%s for %s passes",
    async (scenario, revision) => {
      const command = `${process.execPath} ${join(import.meta.dir, "relay-client.ts")}`;
      const { passed, printed } = await runClientScenario(
        { suite: "conformance-2026", revision },
        scenario,
        command,
      );
      expect(passed, printed).toBe(true);
    },
    SUITE_MS,
  );

  testWithPeers()(
    "sse-retry fails, because streams of calls are not resumable at gateways: the GET is for the stream of the session",
    async () => {
      const command = `${process.execPath} ${join(import.meta.dir, "relay-client.ts")}`;
      const run = { suite: "conformance-2026", revision: "2025-11-25" } as const;
      const { printed } = await runClientScenario(run, "sse-retry", command);
      expect(printed).toContain("Client did not send Last-Event-ID header on reconnection");
    },
    SUITE_MS,
  );
});

let begun = Promise.withResolvers<void>();
let ended = Promise.withResolvers<string>();
let made: GatewaySite;
beforeAll(async () => {
  const slow = slowCatalog(
    () => begun.resolve(),
    (how) => ended.resolve(how),
  );
  made = await startGatewaySite({ moreCatalogs: [...conformanceCatalogs, slow] });
  await made.gateway("team");
});
afterAll(() => made[Symbol.asyncDispose]());

const relay = (slug = "team") => relayOf({ address: made.site.url, key: made.key, slug });
const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line));

describe("a cancellation", () => {
  test.each([
    ["2026-07-28", META],
    ["2025-11-25", undefined],
  ])("stops the tool and gets no reply, for %s", async (_version, _meta) => {
    [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const handler = relay();
    if (_meta === undefined) await through(handler, INITIALIZE);
    const meta = _meta === undefined ? {} : { _meta };
    const running = through(handler, request("c", "tools/call", { ...call("slow_wait"), ...meta }));
    await begun.promise;
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } };

    expect(await through(handler, cancelled)).toEqual([]);
    expect(await ended.promise).toBe("stopped");
    expect(await running).toEqual([]);
  });

  test("of an unknown request changes nothing", async () => {
    const handler = relay();
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "no" } };

    expect(await through(handler, cancelled)).toEqual([]);
    expect(at(parsed(await through(handler, modern(2, "tools/list")))[0], "result.resultType")).toBe(
      "complete",
    );
  });
});

describe("a lost session", () => {
  test("is started again when the gateway was deleted and made again", async () => {
    const { runtime } = made.site;
    const operator = await runtime.identity.operator("default");
    await made.gateway("again");
    const handler = relay("again");
    await through(handler, INITIALIZE);
    const { items } = await runtime.gateways.list(operator, { limit: 100, offset: 0 });
    await runtime.gateways.delete(operator, items.find(({ slug }) => slug === "again")?.id ?? "");
    await made.gateway("again");

    const replies = await Promise.all([2, 3].map((id) => through(handler, request(id, "tools/list"))));

    expect(replies.map((lines) => at(parsed(lines)[0], "id"))).toEqual([2, 3]);
    for (const lines of replies) expect(at(parsed(lines)[0], "result.tools.0.name")).toBeTruthy();
  });

  test("of a gateway that is gone is an error of each request", async () => {
    const { runtime } = made.site;
    const operator = await runtime.identity.operator("default");
    await made.gateway("gone");
    const handler = relay("gone");
    await through(handler, INITIALIZE);
    const { items } = await runtime.gateways.list(operator, { limit: 100, offset: 0 });
    await runtime.gateways.delete(operator, items.find(({ slug }) => slug === "gone")?.id ?? "");

    const [reply] = parsed(await through(handler, request(2, "ping")));

    expect([at(reply, "id"), at(reply, "error.message")]).toEqual([2, expect.stringContaining("gateway")]);
  });
});

describe("headers that repeat the message", () => {
  test.each([["us-west1"], ["Hello, \u4e16"], [" padded "], ["=?base64?eA==?="], [""]])(
    "are made for the marked parameter %p",
    async (region) => {
      const [reply] = parsed(
        await through(relay(), modern(1, "tools/call", call("test_custom_headers", { region }))),
      );
      expect([at(reply, "error"), at(reply, "result.resultType")]).toEqual([undefined, "complete"]);
    },
  );

  test("are left out for a parameter that is null or absent", async () => {
    for (const input of [{}, { region: null }]) {
      const lines = await through(relay(), modern(1, "tools/call", call("test_custom_headers", input)));
      expect(at(parsed(lines)[0], "result.resultType")).toBe("complete");
    }
  });

  test("are made for resources too, so that the gateway answers the method", async () => {
    const [reply] = parsed(await through(relay(), modern(1, "resources/read", { uri: "file:///\u00e9" })));
    expect(at(reply, "error.code")).toBe(-32601);
  });
});

test("an id beyond 2^53 comes back byte for byte", async () => {
  const line = JSON.stringify(modern("ID", "tools/list")).replace('"ID"', "12345678901234567890");
  expect((await through(relay(), line))[0]).toContain('"id":12345678901234567890,');
});

test("a subscription ends with the input, without a reply", async () => {
  const input = new AbortController();
  const written: string[] = [];
  const line = JSON.stringify(
    modern(7, "subscriptions/listen", { notifications: { toolsListChanged: true } }),
  );
  const acknowledged = Promise.withResolvers<void>();
  const write = (text: string): void => {
    written.push(text);
    acknowledged.resolve();
  };
  const over = relay()(JSON.parse(line), write, line, input.signal);
  await acknowledged.promise;
  input.abort();
  await over;
  expect(parsed(written).map(({ method }) => method)).toEqual(["notifications/subscriptions/acknowledged"]);
});

test("news of a session come through, also when the gateway was deleted and made again", async () => {
  const { runtime } = made.site;
  const operator = await runtime.identity.operator("default");
  const filter = (...allowed_tools: string[]) => ({ tool_filter: { allowed_tools } });
  const find = async (): Promise<string> => {
    const { items } = await runtime.gateways.list(operator, { limit: 100, offset: 0 });
    return items.find(({ slug }) => slug === "news")?.id ?? "";
  };
  await made.gateway("news", filter("Chat.WhoAmI"));
  const handler = relay("news");
  const input = new AbortController();
  let told = Promise.withResolvers<string>();
  const send = (message: object) =>
    handler(
      JSON.parse(JSON.stringify(message)),
      (text) => told.resolve(text),
      JSON.stringify(message),
      input.signal,
    );
  await through(handler, INITIALIZE);
  await through(handler, request(2, "tools/list"));
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await runtime.gateways.patch(operator, await find(), filter("Chat.ListUsers"));
  expect(await told.promise).toContain("notifications/tools/list_changed");

  told = Promise.withResolvers();
  await runtime.gateways.delete(operator, await find());
  await made.gateway("news", filter("Chat.WhoAmI"));
  expect(await told.promise).toContain("notifications/tools/list_changed");
  input.abort();
}, 20_000);

test("an answer that breaks off before its reply is an error of the request", async () => {
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n', {
        headers: { "content-type": "text/event-stream" },
      }),
  });
  const handler = relayOf({ address: `http://127.0.0.1:${server.port}`, key: "k", slug: "x" });
  const [, reply] = parsed(await through(handler, request(5, "ping")));
  expect([at(reply, "id"), at(reply, "error.code")]).toEqual([5, -32000]);
});
