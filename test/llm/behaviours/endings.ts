// How turns end: with reasons that contradict what came, with errors, or not at all.
import {
  chunk,
  DONE,
  frame,
  say,
  type Said,
  startStream,
  stream,
  type Turn,
  usageOf,
} from "../../sandbox/models/chat-server";
import type { Reply } from "../../sandbox/models/http";
import type { Behaviour } from "./behaviour";

const done: Turn = (request, reply) => say(request, reply, { content: "Done." });
const turn =
  (said: Said): Turn =>
  (request, reply) =>
    say(request, reply, said);
const CALL = { name: "Test_Look", arguments: '{"text":"a"}', id: "x" };
const ONE = [{ text: "a" }];

const reasons: Behaviour[] = [
  {
    name: "stop with a call",
    turns: [turn({ calls: [CALL], finish: "stop" }), done],
    runs: ONE,
    content: "Done.",
  },
  { name: "length with a whole call", turns: [turn({ calls: [CALL], finish: "length" }), done], runs: ONE },
  {
    name: "length with half of a call",
    turns: [turn({ calls: [{ ...CALL, arguments: '{"text":"a' }], finish: "length" }), done],
    runs: [],
    answers: [/not a JSON object/],
  },
  {
    name: "function_call with a call",
    turns: [turn({ calls: [CALL], finish: "function_call" }), done],
    runs: ONE,
  },
  {
    name: "tool_calls without a call",
    turns: [turn({ content: "Hm.", finish: "tool_calls" })],
    content: "Hm.",
    finish: "stop",
    asked: 1,
  },
  {
    name: "content_filter with a call",
    turns: [turn({ calls: [CALL], finish: "content_filter" })],
    runs: [],
    finish: "content_filter",
    asked: 1,
  },
  {
    name: "length without a call",
    turns: [turn({ content: "And th", finish: "length" })],
    content: "And th",
    finish: "length",
  },
  {
    name: "no reason at all",
    only: "stream",
    turns: [(_request, reply) => stream(reply, chunk({ content: "Hm." }))],
    content: "Hm.",
    finish: "stop",
  },
  {
    name: "a reason before the last call",
    only: "stream",
    turns: [
      (_request, reply) =>
        stream(
          reply,
          chunk({}, "stop"),
          chunk({
            tool_calls: [
              {
                index: 0,
                id: "x",
                type: "function",
                function: { name: "Test_Look", arguments: '{"text":"a"}' },
              },
            ],
          }),
        ),
      done,
    ],
    runs: ONE,
  },
];

const usage: Behaviour[] = [
  {
    name: "usage of all turns is added up",
    request: { stream_options: { include_usage: true } },
    only: "stream",
    turns: [turn({ calls: [CALL], usage: [10, 5] }), turn({ content: "Done.", usage: [20, 7] })],
    also: ({ usage: seen }) => equal(seen, usageOf([30, 12])),
  },
  {
    name: "usage of all turns is added up in one piece",
    only: "whole",
    turns: [turn({ calls: [CALL], usage: [10, 5] }), turn({ content: "Done.", usage: [20, 7] })],
    also: ({ usage: seen }) => equal(seen, usageOf([30, 12])),
  },
  {
    name: "usage with every frame counts once",
    request: { stream_options: { include_usage: true } },
    only: "stream",
    turns: [
      (_request, reply) =>
        stream(
          reply,
          chunk({ content: "a" }, null, { usage: usageOf([10, 1]) }),
          chunk({ content: "b" }, "stop", { usage: usageOf([10, 2]) }),
        ),
    ],
    content: "ab",
    also: ({ usage: seen }) => equal(seen, usageOf([10, 2])),
  },
  {
    name: "usage that nobody asked for does not come",
    only: "stream",
    turns: [turn({ content: "a", usage: [1, 1] })],
    also: ({ usage: seen }) => equal(seen, undefined),
  },
];

const three = ["a", "b", "c"].map((content) => frame(chunk({ content }))).join("");
const broken =
  (end: (reply: Reply) => void): Turn =>
  (_request, reply) => {
    startStream(reply);
    reply.write(three);
    // What was written must be read before the connection breaks.
    setTimeout(() => end(reply), 30);
  };
const errorFrame = frame({ error: { message: "The engine is overloaded.", type: "server_error" } });

const breaks: Behaviour[] = [
  {
    name: "a reset after three frames",
    faults: ["upstream-reset"],
    only: "stream",
    turns: [broken((reply) => reply.reset())],
    content: "abc",
    error: /closed the connection/,
  },
  {
    name: "a process that goes away after three frames",
    faults: ["upstream-reset"],
    only: "stream",
    turns: [broken((reply) => reply.close())],
    content: "abc",
    error: /closed the connection|gave no answer/,
  },
  {
    name: "an end without a reason",
    only: "stream",
    turns: [broken((reply) => reply.end())],
    content: "abc",
    error: /an incomplete stream/,
  },
  {
    name: "an error frame after three frames",
    faults: ["upstream-reset"],
    only: "stream",
    turns: [broken((reply) => (reply.write(errorFrame + DONE), reply.end()))],
    content: "abc",
    error: /The engine is overloaded/,
  },
  {
    name: "an error frame first",
    only: "stream",
    turns: [(_request, reply) => (startStream(reply), reply.write(errorFrame), reply.end())],
    status: 500,
    error: /The engine is overloaded/,
  },
  {
    name: "an error frame that says rate limit first",
    only: "stream",
    turns: [
      (_request, reply) => (
        startStream(reply),
        reply.write(frame({ error: { message: "Slow down.", code: "rate_limit_exceeded" } })),
        reply.end()
      ),
    ],
    status: 429,
    error: /Slow down/,
  },
  {
    name: "500 before the first frame",
    faults: ["upstream-reset"],
    turns: [(_request, reply) => reply.json(500, { error: { message: "boom" } })],
    status: 500,
    error: /failed \(500\)/,
  },
  {
    name: "a frame that is not JSON",
    only: "stream",
    turns: [broken((reply) => (reply.write("data: {oops\n\n"), reply.end()))],
    error: /not JSON/,
  },
  {
    name: "silence after three frames",
    only: "stream",
    turns: [broken(() => undefined)],
    content: "abc",
    error: /did not answer within 2 s/,
  },
];

export const endingRows: readonly Behaviour[] = [...reasons, ...usage, ...breaks];

function equal(seen: unknown, expected: unknown): void {
  if (!Bun.deepEquals(seen, expected))
    throw new Error(`${JSON.stringify(seen)} is not ${JSON.stringify(expected)}`);
}
