// Rules of the loop: what is offered, what is run, when it ends, and what of it the caller gets.
import { say, type Said, type Turn } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";
import { TOOLS } from "./stage";

const done: Turn = (request, reply) => say(request, reply, { content: "Done." });
const turn =
  (said: Said): Turn =>
  (request, reply) =>
    say(request, reply, said);
const call = (name: string, input: object = {}, id = "x") => ({ name, arguments: JSON.stringify(input), id });
const OWN = {
  type: "function",
  function: { name: "my_function", parameters: { type: "object", properties: {} } },
};

function sent(
  turnNumber: number,
  check: (request: { [field: string]: unknown }) => boolean,
): NonNullable<Behaviour["also"]> {
  return (_seen, { chat }) => {
    const request = chat.upstream.requests[turnNumber];
    if (request === undefined || !check(request)) throw new Error(JSON.stringify(request));
  };
}

const offered: Behaviour[] = [
  {
    name: "names become function objects, and the model may choose",
    turns: [done],
    also: sent(0, ({ tools, tool_choice: choice }) => {
      const names = JSON.stringify(tools).match(/"name":"[A-Za-z_]+"/g);
      return (
        choice === "auto" &&
        names?.join() ===
          ["Test_Look", "Test_Act", "Test_ActFor", "Test_Echo"].map((name) => `"name":"${name}"`).join()
      );
    }),
  },
  {
    name: "one tool by several of its names is offered once",
    request: { tools: ["Test.Look", "Test_Look", "test.look@1.2.3"] },
    turns: [done],
    also: sent(0, ({ tools }) => Array.isArray(tools) && tools.length === 1),
  },
  {
    name: "a function object that is a tool of the server is run",
    request: {
      tools: [
        { type: "function", function: { name: "Test_Look", parameters: { type: "object", properties: {} } } },
      ],
    },
    turns: [turn({ calls: [call("Test_Look", { text: "a" })] }), done],
    runs: [{ text: "a" }],
  },
  {
    name: "an unknown tool is refused by name",
    request: { tools: ["Test.Lok"] },
    turns: [done],
    status: 400,
    error: /no tool "Test\.Lok".*Test\.Look/,
    asked: 0,
  },
  {
    name: "a function with the name of a tool is refused",
    request: {
      tool_choice: "auto",
      tools: ["Test.Look", { type: "function", function: { name: "Test_Look" } }],
    },
    turns: [done],
    status: 400,
    error: /has the name of a tool/,
    asked: 0,
  },
  {
    name: "without tools there is nothing to run",
    request: { tools: [] },
    turns: [done],
    status: 400,
    error: /tools is required/,
    asked: 0,
  },
  {
    name: "without a user nobody can be acted for",
    request: { user: undefined },
    turns: [done],
    status: 400,
    error: /user is required/,
    asked: 0,
  },
  {
    name: "several choices at once are refused",
    request: { n: 2 },
    turns: [done],
    status: 400,
    error: /n must be 1/,
    asked: 0,
  },
  {
    name: "parallel_tool_calls and other fields reach the server",
    request: { parallel_tool_calls: false, temperature: 0.5, future: { a: 1 } },
    turns: [done],
    also: sent(
      0,
      (request) =>
        request["parallel_tool_calls"] === false &&
        request["temperature"] === 0.5 &&
        Bun.deepEquals(request["future"], { a: 1 }),
    ),
  },
];

const chosen: Behaviour[] = (["auto", "required", "none", undefined] as const).map((choice) => ({
  name: `tool_choice ${choice ?? "absent"}: the call comes back to the caller and nothing runs`,
  request: { tool_choice: choice },
  turns: [turn({ calls: [call("Test_Look", { text: "a" })] })],
  runs: [],
  asked: 1,
  finish: "tool_calls",
  also: (seen, stage) => {
    sent(0, ({ tool_choice: given }) => given === choice)(seen, stage);
    if (seen.calls[0]?.name !== "Test_Look") throw new Error(JSON.stringify(seen.calls));
  },
}));

const named: Behaviour[] = [
  ...["Test.Look", "Test_Look", "Test.Look@1.2.3"].map((name): Behaviour => ({
    name: `tool_choice names ${name}`,
    request: { tool_choice: { type: "function", function: { name } } },
    turns: [turn({ calls: [call("Test_Look")] })],
    runs: [],
    also: sent(0, ({ tool_choice: choice }) =>
      Bun.deepEquals(choice, { type: "function", function: { name: "Test_Look" } }),
    ),
  })),
  {
    name: "tool_choice names a tool that is not offered",
    request: { tool_choice: { type: "function", function: { name: "Test.Old" } } },
    turns: [done],
    status: 400,
    error: /tool_choice/,
    asked: 0,
  },
];

const executed: Behaviour[] = [
  {
    name: "execute answers the output itself, after one question",
    request: { tool_choice: "execute" },
    act: async () => ({ n: 1 }),
    turns: [turn({ content: "I will look.", calls: [call("Test_Look")] })],
    content: '{"n":1}',
    finish: "stop",
    asked: 1,
    answers: [/^\{"n":1\}$/],
  },
  {
    name: "execute with two calls answers a list of outputs",
    request: { tool_choice: "execute" },
    act: async ({ text }) => (text === "a" ? "plain" : { n: 2 }),
    turns: [turn({ calls: [call("Test_Look", { text: "a" }, "x"), call("Test_Look", {}, "y")] })],
    content: '["plain",{"n":2}]',
    asked: 1,
  },
  {
    name: "execute with a call that fails answers why",
    request: { tool_choice: "execute" },
    turns: [turn({ calls: [call("Test_Look", { txt: 1 })] })],
    content: /There is no parameter "txt"/,
    asked: 1,
  },
  {
    name: "execute without a call answers the text",
    request: { tool_choice: "execute" },
    turns: [turn({ content: "No need." })],
    content: "No need.",
    asked: 1,
  },
];

const looped: Behaviour[] = [
  {
    name: "generate without a call answers the text",
    turns: [turn({ content: "Hello." })],
    content: "Hello.",
    asked: 1,
    also: ({ messages }) => equal(messages, []),
  },
  {
    name: "two turns of calls, and all messages of the run in order",
    turns: [
      turn({ content: "First.", calls: [call("Test_Look", { text: "a" }, "x")] }),
      turn({ calls: [call("Test_Act", { text: "b" }, "y")] }),
      done,
    ],
    runs: [{ text: "a" }, { text: "b" }],
    also: ({ messages }) =>
      equal(
        messages.map(({ role, content, tool_call_id: id }) => [role, content, id]),
        [
          ["assistant", "First.", undefined],
          ["tool", '{"did":"a"}', "x"],
          ["assistant", "", undefined],
          ["tool", '{"did":"b"}', "y"],
        ],
      ),
  },
  {
    name: "a model that never stops calling gets no tools the last time, and has to answer",
    turns: [
      (request, reply) =>
        request.tool_choice === "none"
          ? done(request, reply, 0, {} as never)
          : say(request, reply, { calls: [call("Test_Look")] }),
    ],
    content: "Done.",
    asked: 8,
  },
  {
    name: "a model that calls even then is stopped",
    turns: [turn({ calls: [call("Test_Look")] })],
    asked: 8,
    finish: "length",
    answers: [...Array.from({ length: 7 }, () => /did/), /8 requests are made to the model/],
  },
  {
    name: "the ids of a stream's events are one",
    only: "stream",
    turns: [turn({ content: "a", calls: [call("Test_Look")] }), done],
    also: ({ ids }) => equal(ids.size, 1),
  },
  {
    name: "the same id again in the next turn",
    turns: [
      turn({ calls: [call("Test_Look", { text: "a" })] }),
      turn({ calls: [call("Test_Look", { text: "b" })] }),
      done,
    ],
    runs: [{ text: "a" }, { text: "b" }],
    content: "Done.",
  },
  {
    name: "a call of the caller's function comes back",
    request: { tools: [...TOOLS, OWN] },
    turns: [turn({ calls: [call("my_function", { a: 1 })] })],
    runs: [],
    finish: "tool_calls",
    asked: 1,
    also: ({ calls, messages }) =>
      equal([calls, messages], [[{ id: "x", name: "my_function", arguments: '{"a":1}' }], []]),
  },
  {
    name: "calls of both: ours are run, the caller's come back, and no message is left without its answer",
    request: { tools: [...TOOLS, OWN] },
    turns: [turn({ calls: [call("Test_Look", { text: "a" }, "x"), call("my_function", {}, "y")] })],
    runs: [{ text: "a" }],
    ids: ["x"],
    finish: "tool_calls",
    asked: 1,
    also: ({ calls, messages }) => {
      equal(calls, [{ id: "y", name: "my_function", arguments: "{}" }]);
      equal(JSON.stringify(messages).includes("my_function"), false);
    },
  },
  {
    name: "what a model thinks aloud comes through",
    only: "stream",
    turns: [
      async (request, reply) => {
        const { stream: send, chunk } = await import("../../sandbox/models/chat-server");
        if (request.stream === true)
          send(reply, chunk({ reasoning_content: "Hm." }), chunk({ content: "Done." }, "stop"));
      },
    ],
    content: "Done.",
  },
];

export const ruleRows: readonly Behaviour[] = [...offered, ...chosen, ...named, ...executed, ...looped];

function equal(seen: unknown, expected: unknown): void {
  if (!Bun.deepEquals(seen, expected))
    throw new Error(`${JSON.stringify(seen)} is not ${JSON.stringify(expected)}`);
}
