// What a run can tell and ask of whoever called it.
import { expect, test } from "bun:test";
import { type Caller, InputNeeded } from "../../src/tools";
import { agent, deploy } from "./deployment";

const call = { tool_name: "Test.Act", user_id: "alice" };
const question = { name: { method: "elicitation/create", params: { message: "Your name?" } } } as const;

function callerOf(answers: Caller["answers"], state?: Caller["state"]) {
  const heard: unknown[] = [];
  const caller: Caller = {
    capabilities: { elicitation: {} },
    answers,
    state,
    progress: (...step) => heard.push(step),
    asks: ({ requests, state: left }) => heard.push({ requests, left }),
  };
  return { caller, heard };
}

test("a run reports progress", async () => {
  await using deployment = await deploy();
  deployment.test.act = async (_input, context) => {
    context.caller?.progress(1, 2);
    context.caller?.progress(2, 2);
    return "done";
  };
  const { caller, heard } = callerOf({});

  const { output } = await deployment.runtime.tools.execute(agent(), call, { caller });

  expect([output?.value, heard]).toEqual([
    "done",
    [
      [1, 2],
      [2, 2],
    ],
  ]);
});

test("a run that asks ends, and the next one gets answers and state", async () => {
  await using deployment = await deploy();
  deployment.test.act = async (_input, { caller }) => {
    if (caller?.answers["name"] === undefined) throw new InputNeeded(question, { round: 1 });
    return { answers: caller.answers, state: caller.state ?? null };
  };
  const first = callerOf({});
  const second = callerOf({ name: { action: "accept" } }, { round: 1 });
  const { tools } = deployment.runtime;

  const asked = await tools.execute(agent(), call, { caller: first.caller });
  const answered = await tools.execute(agent(), call, { caller: second.caller });

  expect([asked.success, first.heard]).toEqual([false, [{ requests: question, left: { round: 1 } }]]);
  expect(answered.output?.value).toEqual({ answers: { name: { action: "accept" } }, state: { round: 1 } });
});

test("without a way to ask, the failure says so", async () => {
  await using deployment = await deploy();
  deployment.test.act = async () => {
    throw new InputNeeded(question);
  };

  const { output } = await deployment.runtime.tools.execute(agent(), call);

  expect(output?.error?.kind).toBe("TOOL_REQUIREMENTS_NOT_MET");
  expect(output?.error?.message).toContain("through a gateway");
});
