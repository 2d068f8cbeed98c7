// Which servers learn the place of a request in a trace: those of the setting `telemetry.propagate`, and no others.
import { describe, expect, test } from "bun:test";
import { Telemetry } from "../../../src/telemetry";
import { Propagation } from "../../../src/telemetry/traces/propagation";
import { SpanTracer } from "../../../src/telemetry/traces/tracer";
import { egressWith, webPeer } from "../../egress/peers";
import { at } from "../../support/api";
import { TEXT, Upstream } from "../../support/mcp-upstream";
import { operator } from "../../tools/deployment";
import { StillClock } from "./still-clock";
import { startTraced, type Traced } from "./traced";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** The traceparent that each kind of server got in one round of requests. */
async function gotWith(propagate: string | undefined): Promise<Record<string, string | undefined>> {
  await using upstream = new Upstream({
    methods: {
      "tools/list": () => ({
        tools: [{ name: "ask", description: "Asks.", inputSchema: { type: "object" } }],
      }),
      "tools/call": () => TEXT("asked"),
    },
  });
  const environment = propagate === undefined ? {} : { RUNTIME_TELEMETRY_PROPAGATE: propagate };
  await using traced = await startTraced({ environment });
  const { stage, model } = traced;
  await stage.plugin({ points: ["pre"] });
  await stage.admin.post("/v1/workers", { id: "kit", mcp: { uri: upstream.url, timeout: 10, retry: 0 } });
  await execute(traced, "Kit.Ask");
  await stage.agent.post("/v1/chat/completions", {
    model: "big-model",
    messages: [{ role: "user", content: "Hi" }],
  });
  const call = upstream.calls("tools/call")[0];
  return {
    hook: stage.project.asked[0]?.headers["traceparent"],
    worker: call?.headers.get("traceparent") ?? undefined,
    meta: at(call?.params, "_meta.traceparent") as string | undefined,
    model: model.exchanges[0]?.headers["traceparent"],
    state: call?.headers.get("tracestate") ?? undefined,
  };
}

function execute({ stage }: Traced, tool_name: string): Promise<Response> {
  return stage.deployment.runtime.identity
    .createKey(operator(), { name: "run", role: "run" })
    .then(({ key = "" }) =>
      fetch(`${stage.url}/v1/tools/execute`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          traceparent: PARENT,
          tracestate: "rojo=1",
        },
        body: JSON.stringify({ tool_name, user_id: "alice", input: {} }),
      }),
    );
}

const OURS = expect.stringMatching(
  /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[\da-f]{16}-01$/,
);

test("by default no other server gets it, not even from a caller that sent one", async () => {
  expect(await gotWith(undefined)).toEqual({});
});

test("workers get it in the header and in _meta, with tracestate; hooks and models do not", async () => {
  expect(await gotWith("worker")).toEqual({ worker: OURS, meta: OURS, state: "rojo=1" });
});

test("hooks and models get it if they are named", async () => {
  expect(await gotWith("hook,model")).toEqual({
    hook: OURS,
    model: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/),
  });
});

test("_meta names the run of the tool as the parent, and the header the request", async () => {
  const { worker, meta } = await gotWith("Kit");
  expect([worker, meta]).toEqual([OURS, OURS]);
  expect(worker).not.toBe(meta);
});

describe("an entry", () => {
  test.each<[string, string[], string | undefined, boolean]>([
    ["hook", ["hook"], "https://a.test", true],
    ["hook", ["worker"], "https://a.test", false],
    ["Chat", ["Chat"], "https://a.test", true],
    ["a.test", ["other"], "https://a.test", true],
    ["A.test", ["other"], "https://a.test", true],
    ["a.test", ["other"], "https://b.a.test", false],
    ["a.test", ["other"], "https://a.test:8443", true],
    ["a.test:443", ["other"], "https://a.test", true],
    ["a.test:443", ["other"], "https://a.test:8443", false],
    ["a.test:80", ["other"], "https://a.test", false],
    [".a.test", ["other"], "https://b.a.test", true],
    [".a.test", ["other"], "https://a.test", false],
    [".a.test", ["other"], "https://b.a.test.evil.test", false],
    ["worker", ["Kit", "worker"], undefined, true],
    ["a.test", ["Kit", "worker"], undefined, false],
  ])("%s for %p at %p: %p", (entry, groups, origin, isIncluded) => {
    expect(new Propagation([entry]).includes({ groups, origin })).toBe(isIncluded);
  });
});

test("a redirect to another origin does not carry it", async () => {
  using other = webPeer(() => new Response("there"));
  using first = webPeer(() => Response.redirect(`${other.origin}/there`, 302));
  const clock = new StillClock();
  const telemetry = new Telemetry(clock);
  telemetry.tracer = new SpanTracer({
    clock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    sampling: { share: 1, followsParent: true },
    propagation: new Propagation(["other"]),
    content: new Set(),
    ended: () => undefined,
  });
  await egressWith({ telemetry }).fetch(first.origin, { redirects: "follow" });
  expect(first.requests[0]?.headers.get("traceparent")).toMatch(/^00-/);
  expect(other.requests.map(({ headers }) => headers.get("traceparent"))).toEqual([null]);
});
