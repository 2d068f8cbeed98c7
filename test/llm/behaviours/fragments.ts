// Calls in fragments, as servers of models really send them.
import { chunk, completion, say, stream } from "../../sandbox/models/chat-server";
import type { Turn } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const done: Turn = (request, reply) => say(request, reply, { content: "Done." });

/** A first turn of these fragments, each in a chunk of its own. */
function fragments(...deltas: readonly unknown[]): Turn {
  return (_request, reply) =>
    stream(reply, ...deltas.map((tool_calls) => chunk({ tool_calls })), chunk({}, "tool_calls"));
}

/** A first turn of one whole message with these calls. */
function whole(tool_calls: unknown): Turn {
  return (_request, reply) => {
    const answer = completion({ calls: [] });
    Object.assign(answer, {
      choices: [
        { index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls } },
      ],
    });
    reply.json(200, answer);
  };
}

const look = (text: string) => ({ name: "Test_Look", arguments: `{"text":"${text}"}` });
const A_AND_B = [{ text: "a" }, { text: "b" }];

export const fragmentRows: readonly Behaviour[] = [
  {
    name: "two calls interleaved under their indices",
    faults: ["glued-calls"],
    only: "stream",
    turns: [
      fragments(
        [{ index: 0, id: "x", type: "function", function: { name: "Test_Look", arguments: "" } }],
        [{ index: 1, id: "y", type: "function", function: { name: "Test_Look", arguments: "" } }],
        [{ index: 0, function: { arguments: '{"te' } }],
        [{ index: 1, function: { arguments: '{"text"' } }],
        [{ index: 0, function: { arguments: 'xt":"a"}' } }],
        [{ index: 1, function: { arguments: ':"b"}' } }],
      ),
      done,
    ],
    runs: A_AND_B,
    ids: ["x", "y"],
    content: "Done.",
  },
  {
    name: "two calls that both say index 0, with ids of their own",
    faults: ["glued-calls"],
    only: "stream",
    turns: [
      fragments(
        [{ index: 0, id: "x", type: "function", function: { name: "Test_Look", arguments: '{"text":' } }],
        [{ index: 0, function: { arguments: '"a"}' } }],
        [{ index: 0, id: "y", type: "function", function: { name: "Test_Look", arguments: '{"text":' } }],
        [{ index: 0, function: { arguments: '"b"}' } }],
      ),
      done,
    ],
    runs: A_AND_B,
    ids: ["x", "y"],
  },
  {
    name: "two calls without ids under one index",
    faults: ["glued-calls"],
    only: "stream",
    turns: [fragments([{ index: 0, function: look("a") }], [{ index: 0, function: look("b") }]), done],
    runs: A_AND_B,
    also: ({ messages }) => {
      const ids = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
      if (new Set(ids).size !== 2) throw new Error(`ids are not unique: ${ids.join()}`);
    },
  },
  {
    name: "two calls without ids and without indices",
    faults: ["glued-calls"],
    only: "stream",
    turns: [
      fragments(
        [{ function: { name: "Test_Look", arguments: '{"text"' } }],
        [{ function: { arguments: ':"a"}' } }],
        [{ function: look("b") }],
      ),
      done,
    ],
    runs: A_AND_B,
  },
  {
    name: "two whole calls in one frame",
    faults: ["glued-calls"],
    only: "stream",
    turns: [
      fragments([
        { index: 0, id: "x", type: "function", function: look("a") },
        { index: 1, id: "y", type: "function", function: look("b") },
      ]),
      done,
    ],
    runs: A_AND_B,
    ids: ["x", "y"],
  },
  {
    name: "two whole calls in one frame that both say index 0 and have no ids",
    faults: ["glued-calls"],
    only: "stream",
    turns: [
      fragments([
        { index: 0, function: look("a") },
        { index: 0, function: look("b") },
      ]),
      done,
    ],
    runs: A_AND_B,
  },
  {
    name: "the id and the name again with every fragment",
    only: "stream",
    turns: [
      fragments(
        [{ index: 0, id: "x", type: "function", function: { name: "Test_Look", arguments: '{"text":' } }],
        [{ index: 0, id: "x", type: "function", function: { name: "Test_Look", arguments: '"a"}' } }],
      ),
      done,
    ],
    runs: [{ text: "a" }],
    ids: ["x"],
  },
  {
    name: "a name in two parts",
    only: "stream",
    turns: [
      fragments(
        [{ index: 0, id: "x", type: "function", function: { name: "Test_", arguments: "" } }],
        [{ index: 0, function: { name: "Look" } }],
        [{ index: 0, function: { arguments: '{"text":"a"}' } }],
      ),
      done,
    ],
    runs: [{ text: "a" }],
  },
  {
    name: "one id for two calls of a whole message",
    faults: ["glued-calls"],
    only: "whole",
    turns: [
      whole([
        { id: "x", type: "function", function: look("a") },
        { id: "x", type: "function", function: look("b") },
      ]),
      done,
    ],
    // Told apart by nothing but their places: the same id again is one call more.
    runs: A_AND_B,
  },
  {
    name: "calls of a whole message without ids",
    faults: ["glued-calls"],
    only: "whole",
    turns: [whole([{ function: look("a") }, { function: look("b") }]), done],
    runs: A_AND_B,
  },
  {
    name: "arguments as an object",
    turns: [
      (request, reply, turn, exchange) => {
        const call = {
          index: 0,
          id: "x",
          type: "function",
          function: { name: "Test_Look", arguments: { text: "a" } },
        };
        const send = request.stream === true ? fragments([call]) : whole([call]);
        return send(request, reply, turn, exchange);
      },
      done,
    ],
    runs: [{ text: "a" }],
  },
  {
    name: "what the server says more about a call goes back to it",
    only: "whole",
    turns: [
      whole([{ id: "x", type: "function", function: look("a"), extra_content: { signature: "s" } }]),
      done,
    ],
    runs: [{ text: "a" }],
    also: (_seen, { chat }) => {
      const sent = JSON.stringify(chat.upstream.requests[1]?.messages);
      if (!sent.includes('"extra_content":{"signature":"s"}')) throw new Error(sent);
    },
  },
];
