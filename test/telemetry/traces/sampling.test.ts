// Which traces are sent.
import { describe, expect, test } from "bun:test";
import { Ids, traceIdOf } from "../../../src/telemetry/traces/ids";
import { isSampled } from "../../../src/telemetry/traces/sampler";
import { operator } from "../../tools/deployment";
import { startTraced } from "./traced";

const ids = new Ids((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
const id = () => ids.trace();
const parent = (sampled: boolean) => ({ id: traceIdOf("a".repeat(32)), isSampled: sampled, state: "" });

test.each([0.01, 0.25, 0.9])("a share of %p is that share of traces", (share) => {
  const tries = 20_000;
  const sampled = Array.from({ length: tries }, id).filter((traceId) =>
    isSampled({ share, followsParent: true }, traceId, undefined),
  ).length;
  expect(Math.abs(sampled / tries - share)).toBeLessThan(0.02);
});

test("a trace of a smaller share is one of a larger share", () => {
  for (const traceId of Array.from({ length: 1000 }, id))
    if (isSampled({ share: 0.1, followsParent: true }, traceId, undefined))
      expect(isSampled({ share: 0.2, followsParent: true }, traceId, undefined)).toBe(true);
});

test("0 is none and 1 is all", () => {
  for (const traceId of ["0".repeat(31) + "1", "f".repeat(32)].map(traceIdOf)) {
    expect(isSampled({ share: 0, followsParent: false }, traceId, undefined)).toBe(false);
    expect(isSampled({ share: 1, followsParent: false }, traceId, undefined)).toBe(true);
  }
});

test("a parent decides, unless its decision is not followed", () => {
  const traceId = traceIdOf("a".repeat(32));
  expect(isSampled({ share: 0, followsParent: true }, traceId, parent(true))).toBe(true);
  expect(isSampled({ share: 1, followsParent: true }, traceId, parent(false))).toBe(false);
  expect(isSampled({ share: 0, followsParent: false }, traceId, parent(true))).toBe(false);
  expect(isSampled({ share: 1, followsParent: false }, traceId, parent(false))).toBe(true);
});

describe("a request over HTTP", () => {
  const cases: [string, Record<string, string>, string, string | undefined, number][] = [
    ["not sampled by its caller", {}, "00", undefined, 0],
    ["sampled by its caller, with a share of 0", { RUNTIME_TELEMETRY_SAMPLE: "0" }, "01", undefined, 3],
    ["sampled by its caller, who is not followed", { OTEL_TRACES_SAMPLER: "always_off" }, "01", undefined, 0],
    [
      "not sampled by its caller, who is not followed",
      { OTEL_TRACES_SAMPLER: "always_on" },
      "00",
      undefined,
      3,
    ],
    ["with flags of a later version", {}, "03", undefined, 3],
  ];

  test.each(cases)("%s", async (_name, environment, flags, _more, count) => {
    await using traced = await startTraced({ environment });
    const { deployment, url } = traced.stage;
    const { key = "" } = await deployment.runtime.identity.createKey(operator(), {
      name: "run",
      role: "run",
    });
    await fetch(`${url}/v1/tools/execute`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`,
      },
      body: JSON.stringify({ tool_name: "Test.Call", user_id: "alice", input: {} }),
    });
    await deployment.runtime.close();
    const spans = traced.receiver.spans.filter(({ traceId }) => traceId.startsWith("4bf92f35"));
    expect(spans).toHaveLength(count);
  });
});
