// Hooks for the tool calls of a chat completion, as for any execution.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ModelServer, say, startModelServer } from "../sandbox/models/chat-server";
import { at } from "../support/api";
import { type Hooked, hooked } from "./hooked";

let model: ModelServer;
let stage: Hooked;
beforeAll(async () => {
  model = await startModelServer((request, reply) => {
    const last = request.messages.at(-1);
    if (last?.role === "tool") return say(request, reply, { content: String(last.content) });
    say(request, reply, { calls: [{ name: "Test_Call", arguments: '{"path":"asked"}' }] });
  });
  const models = [{ id: "m", models: ["m"], openai: { base_url: model.url } }];
  stage = await hooked({ environment: { RUNTIME_MODELS: JSON.stringify(models) } });
  await stage.plugin();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(() => {
  stage.project.asked.length = 0;
  stage.project.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  stage.platformCalls();
});

const ask = (tool: unknown = "Test.Call") =>
  stage.agent.post("/v1/chat/completions", {
    model: "m",
    messages: [{ role: "user", content: "Call it." }],
    user: "alice",
    tools: [tool],
    tool_choice: "generate",
  });

test("a denied call does not run, and the model receives the error", async () => {
  stage.project.respond = ({ path }) =>
    path === "pre"
      ? { code: "CHECK_FAILED", error_message: "not on Saturdays" }
      : path === "access"
        ? {}
        : { code: "OK" };
  const answer = await ask();
  expect([answer.status, at(answer.body, "choices.0.message.content"), stage.platformCalls()]).toEqual([
    200,
    expect.stringMatching(/CONTEXT_DENIED.*not on Saturdays/),
    0,
  ]);
});

test("changed inputs and outputs are used", async () => {
  stage.project.respond = ({ path }) => {
    if (path === "pre") return { code: "OK", override: { inputs: { path: "changed" } } };
    return path === "post" ? { code: "OK", override: { output: "[reviewed]" } } : {};
  };
  const answer = await ask();
  expect(at(answer.body, "choices.0.message.content")).toBe("[reviewed]");
  expect(stage.deployment.platform.calls.at(-1)?.address).toEndWith("/changed");
});

test.each<[string, unknown]>([
  ["by its name", "Test.Call"],
  ["as a function object", { type: "function", function: { name: "Test_Call", parameters: {} } }],
])(
  "a tool %s for which a hook gives no usable answer stops the request, and is not passed to the client",
  async (_how, tool) => {
    stage.project.respond = ({ path }) => (path === "access" ? "maybe" : { code: "OK" });
    const asked = model.requests.length;
    const answer = await ask(tool);
    expect([answer.status, at(answer.body, "name"), answer.headers.get("x-should-retry")]).toEqual([
      500,
      "internal_error",
      "true",
    ]);
    expect(at(answer.body, "message")).toContain("policy could not be checked");
    expect([stage.platformCalls(), model.requests.length]).toEqual([0, asked]);
  },
);

test("a hidden tool is not offered", async () => {
  stage.project.respond = () => ({ deny: { Test: { tools: { Call: [] } } } });
  const answer = await ask();
  expect([answer.status, at(answer.body, "name")]).toEqual([400, "tool_not_found"]);
  expect(stage.platformCalls()).toBe(0);
});
