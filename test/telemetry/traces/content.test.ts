// Arguments and results are in spans only of projects for which the operator has switched them on, and without secrets.
import { describe, expect, test } from "bun:test";
import { contentAttributes, MAX_CONTENT } from "../../../src/telemetry/traces/content";
import { formsOf } from "../../support/canaries";
import { agent, operator } from "../../tools/deployment";
import type { ReceivedSpan } from "./receiver";
import { startTraced, type Traced } from "./traced";

const ARGUMENTS = "gen_ai.tool.call.arguments";
const RESULT = "gen_ai.tool.call.result";

async function run(
  traced: Traced,
  tool_name: string,
  input: object,
  project = "default",
): Promise<ReceivedSpan> {
  const { runtime } = traced.stage.deployment;
  const name = `execute_tool ${tool_name}`;
  traced.receiver.spans.length = 0;
  await runtime.tools.execute(agent(null, project), { tool_name, user_id: "alice", input: { ...input } });
  await traced.traceWith(name);
  return traced.receiver.one(name);
}

test("no project has them by default", async () => {
  await using traced = await startTraced();
  const { attributes } = await run(traced, "Test.Echo", { text: "private words" });
  expect([attributes[ARGUMENTS], attributes[RESULT]]).toEqual([undefined, undefined]);
  for (const { body } of traced.receiver.requests) expect(body.includes("private words")).toBe(false);
});

test("the switch of a project is not that of another", async () => {
  await using traced = await startTraced({ environment: { RUNTIME_TELEMETRY_CONTENT: "open" } });
  const { identity } = traced.stage.deployment.runtime;
  await identity.createProject(operator(), "open", "Open");
  await identity.createProject(operator(), "closed", "Closed");
  const open = await run(traced, "Test.Echo", { text: "public words" }, "open");
  const closed = await run(traced, "Test.Echo", { text: "private words" }, "closed");
  expect(JSON.parse(String(open.attributes[ARGUMENTS]))).toEqual({ text: "public words" });
  expect(JSON.parse(String(open.attributes[RESULT]))).toEqual({ text: "public words" });
  expect([closed.attributes[ARGUMENTS], closed.attributes[RESULT]]).toEqual([undefined, undefined]);
  for (const { body } of traced.receiver.requests) expect(body.includes("private words")).toBe(false);
});

describe("with the switch on", () => {
  const environment = { RUNTIME_TELEMETRY_CONTENT: "default" };

  test("the user's token and the stored secrets of the tool are replaced, however they are written", async () => {
    await using traced = await startTraced({ environment });
    const { deployment } = traced.stage;
    const operatorOf = operator();
    await deployment.runtime.secrets.upsert(operatorOf, "TEST_ADDRESS", { value: deployment.platform.url });
    await deployment.runtime.secrets.upsert(operatorOf, "TEST_WORD", { value: 'the "word" of CANARY' });
    const { attributes } = await run(traced, "Test.Elsewhere", {});
    expect(String(attributes[RESULT])).toContain('"word":"[redacted]"');

    const token = "token/of+alice=CANARY";
    await deployment.give("alice", { access: token });
    deployment.test.act = async (_input, context) => {
      await context.fetch("api", "me");
      return { forms: formsOf(token), header: `Bearer ${token}`, sentence: `It is ${token}.` };
    };
    const echoed = await run(traced, "Test.ActFor", { text: "say it" });
    const text = String(echoed.attributes[RESULT]);
    expect(text).toContain('"header":"[redacted]","sentence":"It is [redacted]."');
    expect(JSON.parse(text).forms.filter((form: string) => !form.includes("[redacted]"))).toEqual([]);
    expect(String(echoed.attributes[ARGUMENTS])).toBe('{"text":"say it"}');
  });

  test("a result is the one that hooks have left", async () => {
    await using traced = await startTraced({ environment });
    await traced.stage.plugin({ points: ["post"] });
    traced.stage.project.respond = () => ({ code: "OK", override: { output: "[reviewed]" } });
    const { attributes } = await run(traced, "Test.Echo", { text: "unreviewed words" });
    expect(attributes[RESULT]).toBe('"[reviewed]"');
  });

  test("the request of a caller that is not sampled has none", async () => {
    await using traced = await startTraced({
      environment: { ...environment, RUNTIME_TELEMETRY_SAMPLE: "0" },
    });
    const { runtime } = traced.stage.deployment;
    await runtime.tools.execute(agent(), {
      tool_name: "Test.Echo",
      user_id: "alice",
      input: { text: "words" },
    });
    await runtime.close();
    expect(traced.receiver.requests).toEqual([]);
  });
});

describe("content", () => {
  test("has a limit", () => {
    const attributes = contentAttributes({ arguments: "x".repeat(1_000_000), result: { a: 1 } }, []);
    expect(String(attributes[ARGUMENTS])).toHaveLength(MAX_CONTENT + 1);
    expect(attributes[RESULT]).toBe('{"a":1}');
  });

  test("does not show the beginning of a secret at its end", () => {
    const secret = "s".repeat(100);
    for (let before = MAX_CONTENT - 120; before < MAX_CONTENT + 5; before += 5) {
      const attributes = contentAttributes(
        { arguments: `${"x".repeat(before)}${secret}`, result: undefined },
        [secret],
      );
      expect(String(attributes[ARGUMENTS])).not.toContain("sss");
    }
  });

  test("that is not JSON is left out", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const attributes = contentAttributes({ arguments: circle, result: 1n }, []);
    expect([attributes[ARGUMENTS], attributes[RESULT]]).toEqual(["[not JSON]", "[not JSON]"]);
  });

  test.each([
    ["Bearer abc-123-CANARY", "abc-123-CANARY"],
    ["Basic YWxpY2U6cGFzcy1DQU5BUlk=", "pass-CANARY"],
    ["Basic YWxpY2U6cGFzcy1DQU5BUlk=", "YWxpY2U6cGFzcy1DQU5BUlk="],
  ])("the header %s is not shown as %s", (header, part) => {
    const attributes = contentAttributes({ arguments: { said: `it is ${part}.` }, result: undefined }, [
      header,
    ]);
    expect(attributes[ARGUMENTS]).toBe('{"said":"it is [redacted]."}');
  });
});
