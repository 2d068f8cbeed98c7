// What is remembered of ends that are equal: no work is counted or described as other work.
import { expect, test } from "bun:test";
import type { End, Kind, Start } from "../../src/telemetry";
import { Endings } from "../../src/telemetry/endings";
import { describe } from "../../src/telemetry/traces/kinds";
import type { Description } from "../../src/telemetry/traces/span";

type Work<K extends Kind> = { kind: K; start: Start<K>; end: End<K> };
type AnyWork = { [K in Kind]: Work<K> }[Kind];

const tool = { toolkit: "Chat", tool: "Send", entry: "api", project: "p1", executionId: "e1" } as const;
const egress = { group: "Chat", method: "GET", url: new URL("https://a.test/one"), project: "p1" } as const;
const model = {
  provider: "openai",
  entry: "m",
  model: "big",
  operation: "chat",
  streams: false,
  project: "p1",
} as const;

/** The first of each list, and work that differs from it in one thing. */
const KINDS: AnyWork[][] = [
  [
    { kind: "request", start: { method: "GET", route: "/v1/tools" }, end: { status: 200 } },
    { kind: "request", start: { method: "POST", route: "/v1/tools" }, end: { status: 200 } },
    { kind: "request", start: { method: "BREW", route: "/v1/tools" }, end: { status: 200 } },
    { kind: "request", start: { method: "GET", route: "/v1/users" }, end: { status: 200 } },
    { kind: "request", start: { method: "GET", route: undefined }, end: { status: 200 } },
    { kind: "request", start: { method: "GET", route: "/v1/tools" }, end: { status: 503 } },
  ],
  [
    { kind: "tool", start: tool, end: { outcome: "completed" } },
    { kind: "tool", start: { ...tool, toolkit: "Mail" }, end: { outcome: "completed" } },
    { kind: "tool", start: { ...tool, tool: "List" }, end: { outcome: "completed" } },
    { kind: "tool", start: { ...tool, entry: "mcp" }, end: { outcome: "completed" } },
    { kind: "tool", start: { ...tool, project: "p2" }, end: { outcome: "completed" } },
    { kind: "tool", start: tool, end: { outcome: "refused" } },
  ],
  [
    { kind: "hook", start: { hook: "h1", point: "tool.pre" }, end: { outcome: "ok" } },
    { kind: "hook", start: { hook: "h2", point: "tool.pre" }, end: { outcome: "ok" } },
    { kind: "hook", start: { hook: "h1", point: "tool.post" }, end: { outcome: "ok" } },
    { kind: "hook", start: { hook: "h1", point: "tool.pre" }, end: { outcome: "failed" } },
  ],
  [
    { kind: "egress", start: egress, end: { outcome: "ok", status: 200 } },
    { kind: "egress", start: { ...egress, group: "hook" }, end: { outcome: "ok", status: 200 } },
    { kind: "egress", start: { ...egress, method: "PUT" }, end: { outcome: "ok", status: 200 } },
    { kind: "egress", start: { ...egress, project: "p2" }, end: { outcome: "ok", status: 200 } },
    { kind: "egress", start: { ...egress, url: undefined }, end: { outcome: "ok", status: 200 } },
    ...[
      "https://b.test/one",
      "http://a.test/one",
      "https://a.test:8443/one",
      "odd://a.test",
      "odd://b.test",
    ].map((text): AnyWork => ({
      kind: "egress",
      start: { ...egress, url: new URL(text) },
      end: { outcome: "ok", status: 200 },
    })),
    { kind: "egress", start: egress, end: { outcome: "ok", status: 404 } },
    { kind: "egress", start: egress, end: { outcome: "timeout", status: undefined } },
  ],
  [
    { kind: "mcp", start: { method: "tools/call", gateway: "g1" }, end: { outcome: "ok" } },
    { kind: "mcp", start: { method: "tools/list", gateway: "g1" }, end: { outcome: "ok" } },
    { kind: "mcp", start: { method: "made/up", gateway: "g1" }, end: { outcome: "ok" } },
    { kind: "mcp", start: { method: "tools/call", gateway: "g2" }, end: { outcome: "ok" } },
    { kind: "mcp", start: { method: "tools/call", gateway: "g1" }, end: { outcome: "error" } },
    { kind: "mcp", start: { method: "tools/call", gateway: "g1" }, end: { outcome: "error", code: -32602 } },
  ],
  [
    { kind: "model", start: model, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, provider: "anthropic" }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, entry: "n" }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, model: "small" }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, model: undefined }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, operation: "embeddings" }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, streams: true }, end: { outcome: "ok" } },
    { kind: "model", start: { ...model, project: "p2" }, end: { outcome: "ok" } },
    { kind: "model", start: model, end: { outcome: "timeout" } },
  ],
  [
    { kind: "refresh", start: { provider: "idp", project: "p1" }, end: { outcome: "refreshed" } },
    { kind: "refresh", start: { provider: "other", project: "p1" }, end: { outcome: "refreshed" } },
    { kind: "refresh", start: { provider: "idp", project: "p2" }, end: { outcome: "refreshed" } },
    { kind: "refresh", start: { provider: "idp", project: "p1" }, end: { outcome: "dead" } },
  ],
];

function remembered(from: Endings, { kind, start, end }: AnyWork, inner?: Description): Description {
  const ending = from.of<Kind>(kind, start, end, inner);
  return (ending.description ??= describe<Kind>(kind, start, end, inner));
}

test.each(KINDS.map((works) => [works[0]?.kind ?? "", works] as const))(
  "work of the kind %s that differs in anything has its own ending",
  (_kind, works) => {
    const endings = new Endings();
    const first = works.map((work) => remembered(endings, work));
    for (const [at, work] of works.entries()) {
      expect(first[at]).toEqual(describe<Kind>(work.kind, work.start, work.end, undefined));
      expect(remembered(endings, work)).toBe(first[at] ?? expect.unreachable());
    }
    expect(new Set(first).size).toBe(works.length);
    expect(new Set(first.map((one) => JSON.stringify(one))).size).toBe(works.length);
  },
);

test("a message that runs a tool is described by the tool, and by whether it failed", () => {
  const endings = new Endings();
  const call: AnyWork = {
    kind: "mcp",
    start: { method: "tools/call", gateway: "g1" },
    end: { outcome: "ok" },
  };
  const [sent, , , , , refused] = (KINDS[1] ?? []).map((work) => remembered(endings, work));
  expect(remembered(endings, call, sent).name).toBe("tools/call Chat.Send");
  expect(remembered(endings, call, refused).error).toBe("tool_error");
  expect(remembered(endings, call).name).toBe("tools/call");
  expect(remembered(endings, call, sent).error).toBeUndefined();
});

test("texts that are long, or too many, are not kept", () => {
  const endings = new Endings();
  const named = (text: string): AnyWork => ({
    kind: "model",
    start: { ...model, model: text },
    end: { outcome: "ok" },
  });
  const long = named("x".repeat(257));
  expect(remembered(endings, long)).not.toBe(remembered(endings, long));
  const first = remembered(endings, named("first"));
  for (let at = 0; at < 4096; at++) remembered(endings, named(`m${at}`));
  expect(remembered(endings, named("first"))).not.toBe(first);
  expect(remembered(endings, named("first"))).toEqual(first);
});
