// Without a collector there are no traces, and nothing is made for them.
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { testOnSqlite } from "../../support/on-sqlite";
import { startTraced } from "./traced";
import { execute } from "../../hooks/hooked";

let runs: ReturnType<typeof spyOn>;
beforeEach(() => {
  runs = spyOn(AsyncLocalStorage.prototype, "run");
});
afterEach(() => runs.mockRestore());

test("with a collector, the spans travel in a storage", async () => {
  await using traced = await startTraced();
  await execute(traced.stage);
  expect(runs).toHaveBeenCalled();
});

// On PostgreSQL, requests have a storage of their own.
testOnSqlite.each<[string, Record<string, string>]>([
  ["no collector", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
  ["OTEL_SDK_DISABLED", { OTEL_SDK_DISABLED: "true" }],
  ["OTEL_TRACES_EXPORTER=none", { OTEL_TRACES_EXPORTER: "none" }],
  ["telemetry.disabled", { RUNTIME_TELEMETRY_DISABLED: "true" }],
])("with %s, nothing travels and nothing is sent", async (_name, environment) => {
  await using traced = await startTraced({ environment });
  expect((await execute(traced.stage)).success).toBe(true);
  await traced.stage.deployment.runtime.close();
  expect(runs).not.toHaveBeenCalled();
  expect(traced.receiver.requests).toEqual([]);
});
