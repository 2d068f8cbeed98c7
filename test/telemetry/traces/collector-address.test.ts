// The operator has named the collector, so traces may go there. No other request may.
import { expect, test } from "bun:test";
import { execute } from "../../hooks/hooked";
import { EgressError } from "../../../src/egress";
import { startTraced } from "./traced";

const refused = async (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => "sent",
    (error: unknown) => (error instanceof EgressError ? error.reason : error),
  );

test("traces arrive on loopback without an entry in egress.allow, and nothing else does", async () => {
  await using traced = await startTraced({ environment: { RUNTIME_EGRESS_ALLOW: "" } });
  await execute(traced.stage, "Test.Echo");
  await traced.traceWith("execute_tool Test.Echo");
  const { egress } = traced.stage.deployment.runtime.core;
  const before = traced.receiver.requests.length;
  expect(await refused(egress.fetch(`${traced.receiver.url}/v1/traces`, { method: "POST", body: "x" }))).toBe(
    "address_refused",
  );
  expect(await refused(egress.fetch(traced.model.url))).toBe("address_refused");
  expect(traced.receiver.requests.length).toBe(before);
});
