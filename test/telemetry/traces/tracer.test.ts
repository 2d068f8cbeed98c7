// Spans of activities, with a clock that stands still.
import { expect, test } from "bun:test";
import { Telemetry } from "../../../src/telemetry";
import { Propagation } from "../../../src/telemetry/traces/propagation";
import type { FinishedSpan } from "../../../src/telemetry/traces/span";
import { SpanTracer } from "../../../src/telemetry/traces/tracer";
import { StillClock } from "./still-clock";

function stage() {
  const clock = new StillClock();
  const spans: FinishedSpan[] = [];
  const telemetry = new Telemetry(clock);
  telemetry.tracer = new SpanTracer({
    clock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    sampling: { share: 1, followsParent: true },
    propagation: new Propagation([]),
    content: new Set(),
    ended: (span) => spans.push(span),
  });
  return { clock, spans, telemetry };
}

const request = { method: "GET", route: "/v1/tools/:name", traceparent: undefined } as const;

test("a consent is an event of the span in which it happens, and a line of the log is not", async () => {
  const { spans, telemetry, clock } = stage();
  await telemetry.observe("request", request, async () => {
    await clock.pass(7);
    telemetry.count("consent", { event: "granted" });
    telemetry.count("log_line", { level: "info" });
    telemetry.count("dropped_spans", { reason: "refused" });
  });
  expect(spans[0]?.events).toEqual([
    { name: "consent", atMs: clock.now(), attributes: { "runtime.event": "granted" } },
  ]);
});

test("events have a limit", async () => {
  const { spans, telemetry } = stage();
  await telemetry.observe("request", request, async () => {
    for (let at = 0; at < 100; at++) telemetry.count("refusal", { setting: "http.rate_limit" });
  });
  expect(spans[0]?.events).toHaveLength(32);
});

test("work that throws is an error, and its message is not in the span", async () => {
  const { spans, telemetry } = stage();
  const work = telemetry.observe("request", request, async () => {
    throw new Error("s3cr3t");
  });
  await expect(work).rejects.toThrow("s3cr3t");
  expect(spans[0]?.description.error).toBe("500");
  expect(JSON.stringify(spans)).not.toContain("s3cr3t");
});

test("a loop that a request has started does not belong to it for ever", async () => {
  const { spans, telemetry, clock } = stage();
  const go = Promise.withResolvers<void>();
  let loop: Promise<void> | undefined;
  await telemetry.observe("request", request, async () => {
    loop = (async () => {
      await telemetry.observe("refresh", { provider: "soon", project: "default" }, async () => undefined);
      await go.promise;
      await telemetry.observe("refresh", { provider: "late", project: "default" }, async () => undefined);
    })();
  });
  await clock.pass(3_601_000);
  go.resolve();
  await loop;
  const [soon, root, late] = spans;
  expect(soon?.parent).toBe(root?.context);
  expect(late?.parent).toBeUndefined();
  expect(late?.context.trace.id).not.toEqual(root?.context.trace.id);
});

test("setting the clock does not change the order of a trace", async () => {
  const { spans, telemetry, clock } = stage();
  const { now } = clock;
  await telemetry.observe("request", request, async () => {
    clock.now = () => now() - 3600_000;
    await clock.pass(5);
    await telemetry.observe("refresh", { provider: "idp", project: "default" }, () => clock.pass(5));
  });
  const [child, root] = spans;
  expect([child?.startMs, child?.endMs, root?.endMs].map((ms) => (ms ?? 0) - (root?.startMs ?? 0))).toEqual([
    5, 10, 10,
  ]);
});

test("an activity that ends twice is one span", () => {
  const { spans, telemetry } = stage();
  const activity = telemetry.begin("hook", { hook: "hk_1", point: "tool.pre" });
  activity.end({ outcome: "ok" });
  activity.end({ outcome: "failed" });
  expect(spans.map(({ description }) => description.error)).toEqual([undefined]);
});
