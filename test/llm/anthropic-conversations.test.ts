// Twelve conversations in which the model calls tools in parallel, behind the strict stand-in of the messages protocol:
// whole and streamed, and each goes on with what the caller was given.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { badInput } from "../../src/tools";
import { type Uttered, utter } from "../sandbox/models/messages-server";
import { type AnthropicStage, startAnthropicStage } from "./anthropic-stage";
import { ask, type Seen, TOOLS } from "./behaviours/stage";

let it: AnthropicStage;
beforeAll(async () => {
  it = await startAnthropicStage();
});
afterAll(() => it[Symbol.asyncDispose]());
beforeEach(() => {
  it.stage.reset();
  it.claude.reset();
});

interface Talk {
  name: string;
  messages: { role: string; content?: unknown; [field: string]: unknown }[];
  /** What the model says, turn by turn. */
  turns: Uttered[];
  request?: object;
  runs: number;
  content: string | RegExp;
  finish?: string;
  authorizations?: number;
}

const user = (content: unknown) => ({ role: "user", content });
const use = (id: string, name: string, input: object = {}) => ({ id, name, input });
const look = (id: string, text = id) => use(id, "Test_Look", { text });
const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } };
const HISTORY = [
  user("Look at both."),
  {
    role: "assistant",
    content: "",
    tool_calls: ["call_1.a", "call_1.b"].map((id) => ({
      id,
      type: "function",
      function: { name: "Test_Look", arguments: "" },
    })),
  },
  ...["call_1.a", "call_1.b"].map((id) => ({ role: "tool", tool_call_id: id, content: id })),
  { role: "assistant", content: "Both are fine." },
];
const OWN = {
  type: "function",
  function: { name: "my_function", parameters: { type: "object", properties: {} } },
};

const TALKS: Talk[] = [
  {
    name: "two calls at once",
    messages: [user("Go.")],
    turns: [{ calls: [look("a"), look("b")] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "text before three calls",
    messages: [user("Go.")],
    turns: [{ text: "Looking.", calls: [look("a"), look("b"), look("c")] }, { text: "Done." }],
    runs: 3,
    content: "Done.",
  },
  {
    name: "two turns of two calls",
    messages: [user("Go.")],
    turns: [{ calls: [look("a"), look("b")] }, { calls: [look("c"), look("d")] }, { text: "Done." }],
    runs: 4,
    content: "Done.",
  },
  {
    name: "a read beside a write",
    messages: [user("Go.")],
    turns: [{ calls: [look("a"), use("b", "Test_Act", { text: "w" })] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "calls without input",
    messages: [user("Go.")],
    turns: [{ calls: [use("a", "Test_Look"), use("b", "Test_Echo")] }, { text: "Done." }],
    runs: 1,
    content: "Done.",
  },
  {
    name: "instructions, and a history with calls of another server",
    messages: [{ role: "system", content: "Be brief." }, ...HISTORY, user("Again.")],
    turns: [{ calls: [look("a"), look("b")] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "images and parts",
    messages: [user([{ type: "text", text: "See?" }, IMAGE])],
    turns: [{ calls: [look("a"), look("b")] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "one call fails, one is unknown, one is fine",
    messages: [user("Go.")],
    turns: [{ calls: [look("bad"), use("x", "Test_Nothing"), look("c")] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "an output of nothing and one of much",
    messages: [user("Go.")],
    turns: [{ calls: [look("nothing"), look("much")] }, { text: "Done." }],
    runs: 2,
    content: "Done.",
  },
  {
    name: "a consent is owed for one of two",
    messages: [user("Go.")],
    turns: [{ calls: [look("a"), use("b", "Test_ActFor")] }],
    runs: 0,
    content: /^Your consent is needed .* http:\S+ to give it, then send the request again\.$/,
    authorizations: 1,
  },
  {
    name: "execute with two calls",
    messages: [user("Go.")],
    request: { tool_choice: "execute" },
    turns: [{ calls: [look("a"), look("b")] }],
    runs: 2,
    content: '[{"did":"a"},{"did":"b"}]',
  },
  {
    name: "a function of the caller's beside ours",
    messages: [user("Go.")],
    request: { tools: [...TOOLS, OWN] },
    turns: [{ calls: [look("a"), use("b", "my_function")] }],
    runs: 1,
    content: "",
    finish: "tool_calls",
  },
];

describe.each(TALKS)("$name", (talk) => {
  test.each([
    ["whole", false],
    ["streamed", true],
  ] as const)("%s", async (_mode, stream) => {
    it.stage.act(async ({ text }) => {
      if (text === "bad") throw badInput("Not this one.");
      if (text === "nothing") return "";
      return text === "much" ? "é😀".repeat(50_000) : { did: text ?? null };
    });
    const first = await asked(talk, talk.messages, talk.turns, stream);
    const spoken = first.content.split("\n\n").at(-1);
    expect([stream ? spoken : first.content, first.finish, first.done]).toEqual([
      typeof talk.content === "string" ? talk.content : expect.stringMatching(talk.content),
      talk.finish ?? "stop",
      true,
    ]);
    expect([it.stage.runs.length, first.authorizations.length]).toEqual([
      talk.runs,
      talk.authorizations ?? 0,
    ]);
    // The caller appends the messages of the run, then the message, then results of its own functions.
    const results = first.calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "mine" }));
    const calls = first.calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    }));
    const said = {
      role: "assistant",
      content: first.content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const next = await asked(
      talk,
      [...talk.messages, ...first.messages, said, ...results, user("Thanks.")],
      [{ text: "Welcome." }],
      stream,
    );
    expect([next.content, it.claude.refusals]).toEqual(["Welcome.", []]);
  });
});

test("there are twelve, each with calls in parallel", () => {
  expect(TALKS.length).toBe(12);
  expect(TALKS.filter(({ turns }) => (turns[0]?.calls?.length ?? 0) < 2)).toEqual([]);
});

function asked(talk: Talk, messages: object[], turns: Uttered[], stream: boolean): Promise<Seen> {
  it.claude.reset();
  it.claude.script((request, reply, turn) => utter(request, reply, turns[turn] ?? { text: "Too often." }));
  const body = {
    model: "claude-test",
    messages,
    user: "alice",
    tools: TOOLS,
    tool_choice: "generate",
    ...talk.request,
  };
  return ask(it.stage.chat, body, stream);
}
