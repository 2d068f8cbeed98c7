// A thousand requests at the same time: the spans of each are its own.
import { expect, test } from "bun:test";
import { startTraced } from "./traced";
import { operator } from "../../tools/deployment";

const REQUESTS = 1000;
const AT_ONCE = 100;

test("each span is in the trace of its own request", async () => {
  await using traced = await startTraced({ environment: { OTEL_BSP_SCHEDULE_DELAY: "10" } });
  const { deployment, url } = traced.stage;
  const { key = "" } = await deployment.runtime.identity.createKey(operator(), { name: "run", role: "run" });
  // The tool waits for as long as its input says, and each of its requests names it.
  deployment.test.act = async (input, context) => {
    const text = String(input["text"]);
    await context.sleep(Number(text.slice(-1)) / 2);
    await context.fetch("api", text, { anonymous: true });
    await Promise.resolve();
    return (await context.fetch("api", text, { anonymous: true })).status;
  };
  const traceOf = (at: number): string => `b${at.toString(16).padStart(31, "0")}`;
  const ask = async (at: number): Promise<string> => {
    const response = await fetch(`${url}/v1/tools/execute`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        traceparent: `00-${traceOf(at)}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ tool_name: "Test.Act", user_id: "alice", input: { text: `r${at}` } }),
    });
    return ((await response.json()) as { execution_id: string }).execution_id;
  };

  const executions: string[] = [];
  for (let from = 0; from < REQUESTS; from += AT_ONCE)
    executions.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(from + at)))));
  await traced.receiver.until((spans) => spans.length >= 4 * REQUESTS);

  expect(traced.receiver.faults).toEqual([]);
  const byTrace = Map.groupBy(traced.receiver.spans, ({ traceId }) => traceId);
  expect(byTrace.size).toBe(REQUESTS);
  for (const [at, execution] of executions.entries()) {
    const spans = byTrace.get(traceOf(at)) ?? [];
    const root = spans.find(({ name }) => name === "POST /v1/tools/execute");
    const tool = spans.find(({ name }) => name === "execute_tool Test.Act");
    expect(spans).toHaveLength(4);
    expect(root?.parentSpanId).toBe("00f067aa0ba902b7");
    expect([tool?.parentSpanId, tool?.attributes["runtime.execution.id"]]).toEqual([root?.spanId, execution]);
    for (const request of spans.filter(({ name }) => name === "GET"))
      expect(request.parentSpanId).toBe(tool?.spanId);
  }
}, 30_000);
