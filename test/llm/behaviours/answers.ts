// Every call has one answer, in order, whatever becomes of it.
import { badInput, retryableInput } from "../../../src/tools";
import { say, type Said, type Turn } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const done: Turn = (request, reply) => say(request, reply, { content: "Done." });
const turn =
  (said: Said): Turn =>
  (request, reply) =>
    say(request, reply, said);
const call = (name: string, input: object = {}, id?: string) => ({
  name,
  arguments: JSON.stringify(input),
  ...(id === undefined ? {} : { id }),
});

/** A tool that returns when so many runs have begun. */
function together(count: number, value: string): () => Promise<string> {
  let waiting: (() => void)[] = [];
  return async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < count) return;
      for (const each of waiting) each();
      waiting = [];
    });
    return value;
  };
}

const MANY = Array.from({ length: 70 }, (_, index) =>
  call("Test_Look", { text: String(index) }, `c${index}`),
);

/** Clients that do not know consents show the text. */
const CONSENT =
  /^Your consent is needed before the tools can run\. Open http:\S+\/authorize\/\S+ to give it, then send the request again\.$/;

export const answerRows: readonly Behaviour[] = [
  {
    name: "an unknown tool",
    turns: [turn({ calls: [call("Test_Lok")] }), done],
    answers: [/no tool with this name/],
    runs: [],
    content: "Done.",
  },
  {
    name: "a tool of the server that was not offered",
    turns: [turn({ calls: [call("Test_Old", { text: "a" })] }), done],
    answers: [/no tool with this name/],
  },
  {
    name: "a tool by its dotted name, and in another case",
    turns: [
      turn({ calls: [call("Test.Look", { text: "a" }, "x"), call("TEST_LOOK", { text: "b" }, "y")] }),
      done,
    ],
    runs: [{ text: "a" }, { text: "b" }],
    content: "Done.",
  },
  {
    name: "a name that no server takes back",
    turns: [turn({ calls: [call("Test Look ♥")] }), done],
    answers: [/no tool with this name/],
    content: "Done.",
  },
  {
    name: "an unknown tool, broken arguments and a tool that needs a consent",
    faults: ["missing-tool-message"],
    turns: [
      turn({
        calls: [
          call("Test_Nothing", {}, "a"),
          { id: "b", name: "Test_Look", arguments: "{" },
          call("Test_ActFor", { text: "x" }, "c"),
        ],
      }),
    ],
    ids: ["a", "b", "c"],
    answers: [/no tool with this name/, /not a JSON object/, /authorization required/],
    runs: [],
    asked: 1,
    finish: "stop",
    content: CONSENT,
    also: ({ authorizations }) => {
      const [only, ...more] = authorizations;
      if (only?.status !== "pending" || more.length > 0)
        throw new Error("one pending authorization is expected");
      if (!/^http:\/\/\S+\/authorize\/\S+$/.test(only.url ?? "")) throw new Error(`no address: ${only.url}`);
    },
  },
  {
    name: "while a consent is owed nothing of the turn runs",
    turns: [turn({ calls: [call("Test_Act", { text: "write" }, "a"), call("Test_ActFor", {}, "b")] })],
    runs: [],
    answers: [/Not run: another call of this turn requires the user/, /authorization required/],
    asked: 1,
  },
  {
    name: "a consent follows what the model says, as a paragraph of its own",
    turns: [turn({ content: "One moment.", calls: [call("Test_ActFor", {}, "a")] })],
    content: new RegExp(`^One moment\\.\n\n${CONSENT.source.slice(1)}`),
  },
  {
    name: "execute says that a consent is missing",
    request: { tool_choice: "execute" },
    turns: [turn({ calls: [call("Test_ActFor", {}, "a")] })],
    content: CONSENT,
    finish: "stop",
  },
  {
    name: "two calls that wait for one consent name it once",
    turns: [turn({ calls: [call("Test_ActFor", {}, "a"), call("Test_ActFor", {}, "b")] })],
    content: CONSENT,
    also: ({ authorizations }) => {
      if (authorizations.length !== 1) throw new Error(`${authorizations.length} authorizations`);
    },
  },
  {
    name: "a consent in a later turn keeps what has been done",
    turns: [
      turn({ calls: [call("Test_Act", { text: "first" }, "a")] }),
      turn({ calls: [call("Test_ActFor", {}, "b")] }),
    ],
    runs: [{ text: "first" }],
    ids: ["a", "b"],
    answers: [/"did":"first"/, /authorization required/],
    asked: 2,
  },
  {
    name: "a tool that fails, beside one that does not",
    act: async ({ text }) => {
      if (text === "bad") throw badInput("This text is not allowed.", { developerMessage: "SECRET-CODE" });
      return "fine";
    },
    turns: [
      turn({ calls: [call("Test_Look", { text: "bad" }, "a"), call("Test_Look", { text: "good" }, "b")] }),
      done,
    ],
    ids: ["a", "b"],
    answers: [/TOOL_RUNTIME_BAD_INPUT_VALUE.*not allowed/, /^fine$/],
    also: ({ messages }) => {
      if (JSON.stringify(messages).includes("SECRET-CODE"))
        throw new Error("a developer's message reached the model");
    },
  },
  {
    name: "a tool that says how to ask better",
    act: async () => {
      throw retryableInput("There are two of them.", { additionalPromptContent: "Choose one: A or B." });
    },
    turns: [turn({ calls: [call("Test_Look")] }), done],
    answers: [/"can_retry":true,"hint":"Choose one: A or B\."/],
  },
  {
    name: "a tool that throws something of its own",
    act: async () => {
      throw new Error("SECRET internals");
    },
    turns: [turn({ calls: [call("Test_Look")] }), done],
    answers: [/^(?!.*SECRET).*TOOL_RUNTIME_FATAL/],
    content: "Done.",
  },
  {
    name: "more calls in one turn than are run",
    turns: [turn({ calls: MANY }), done],
    ids: MANY.map(({ id }) => id ?? ""),
    also: (_seen, { runs }) => {
      if (runs.length !== 64) throw new Error(`${runs.length} runs`);
    },
  },
  {
    name: "reads run side by side",
    act: together(8, "slow"),
    turns: [
      turn({ calls: Array.from({ length: 8 }, (_, index) => call("Test_Look", {}, `c${index}`)) }),
      done,
    ],
    // Each waits for the others: one after the other, they would never end.
    answers: Array.from({ length: 8 }, () => /^slow$/),
    content: "Done.",
  },
  {
    name: "writes run in the order in which they were asked for",
    act: async ({ text }) => {
      await Bun.sleep(text === "first" ? 100 : 1);
      return text;
    },
    turns: [
      turn({ calls: [call("Test_Act", { text: "first" }, "a"), call("Test_Act", { text: "second" }, "b")] }),
      done,
    ],
    runs: [{ text: "first" }, { text: "second" }],
    answers: [/^first$/, /^second$/],
  },
  {
    name: "a result larger than the limit is cut, and stays JSON",
    faults: ["large-result"],
    act: async () => ({ text: "é😀".repeat(80_000) }),
    turns: [turn({ calls: [call("Test_Look")] }), done],
    also: ({ messages }) => {
      const content = messages.find(({ role }) => role === "tool")?.content ?? "";
      const { truncated, beginning } = JSON.parse(content);
      if (Buffer.byteLength(content) > 65_536 || truncated !== true)
        throw new Error("it is not cut as the limit says");
      if (!/^\{"text":"(?:é😀)+é?$/u.test(beginning))
        throw new Error(`broken at the end: ${beginning.slice(-4)}`);
    },
    content: "Done.",
  },
  {
    name: "an output that is text is text, and nothing is null",
    act: async ({ text }) => (text === "none" ? undefined : "plain"),
    turns: [turn({ calls: [call("Test_Look", { text: "none" }, "a"), call("Test_Look", {}, "b")] }), done],
    answers: [/^null$/, /^plain$/],
  },
];
