// Arguments of calls: texts that are empty, broken, or something else than an object.
import { completion, say, type Turn } from "../../sandbox/models/chat-server";
import { chunk, stream } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const done: Turn = (request, reply) => say(request, reply, { content: "Done." });

/** Calls `Test_Look` with this `function`, in the way that was asked for. */
function calling(called: object): Turn {
  return (request, reply) => {
    const call = { id: "x", type: "function", function: called };
    if (request.stream === true) {
      stream(reply, chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, "tool_calls"));
      return;
    }
    const message = { role: "assistant", content: null, tool_calls: [call] };
    reply.json(200, { ...completion({}), choices: [{ index: 0, finish_reason: "tool_calls", message }] });
  };
}

const withText = (text: string): Turn => calling({ name: "Test_Look", arguments: text });

const EMPTY: [string, Turn][] = [
  ['""', withText("")],
  ['" "', withText(" ")],
  ["null", calling({ name: "Test_Look", arguments: null })],
  ["absent", calling({ name: "Test_Look" })],
  ['"null"', withText("null")],
  ['"{}"', withText("{}")],
  ["line breaks around it", withText("\n{}\n")],
];

const REPORTED = ['""', '" "', "null", "absent"];

const BROKEN: [string, string, string?][] = [
  ["an open brace", "{", "empty-arguments"],
  ["a list", "[]", "empty-arguments"],
  ["half of an object", '{"text":"a'],
  ["two objects", '{"text":"a"}{"text":"b"}'],
  ["a sentence", "text = a"],
  ["an object as text of a text", '"{\\"text\\":\\"a\\"}"'],
];

export const argumentRows: readonly Behaviour[] = [
  ...EMPTY.map(([name, turn]): Behaviour => ({
    name: `arguments ${name} are an input without parameters`,
    ...(REPORTED.includes(name) ? { faults: ["empty-arguments"] } : {}),
    turns: [turn, done],
    runs: [{}],
    content: "Done.",
  })),
  ...BROKEN.map(([name, text, fault]): Behaviour => ({
    name: `arguments that are ${name} go back to the model as an error`,
    ...(fault === undefined ? {} : { faults: [fault] }),
    turns: [withText(text), done],
    runs: [],
    answers: [/not a JSON object/],
    content: "Done.",
    asked: 2,
  })),
  {
    name: "an integer of 19 digits reaches the tool with all of them",
    turns: [withText('{"text":"a","id":1234567890123456789}'), done],
    // The tool knows no `id`: that it was named with its digits is what the model is told.
    answers: [/no parameter \\"id\\"/],
  },
  {
    name: "a parameter that the tool does not have goes back to the model with the nearest one",
    turns: [withText('{"txet":"a"}'), done],
    runs: [],
    answers: [/TOOL_RUNTIME_BAD_INPUT_VALUE.*Did you mean \\"text\\"/],
  },
];
