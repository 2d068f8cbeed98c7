// Turns that fail although the server answered 200. None of their calls runs.
import { chunk, completion, DONE, frame, startStream, type Turn } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const CALL = {
  index: 0,
  id: "x",
  type: "function",
  function: { name: "Test_Look", arguments: '{"text":"a"}' },
};
const CALLING = frame(chunk({ tool_calls: [CALL] }));

const streamed =
  (...texts: string[]): Turn =>
  (_request, reply) => {
    startStream(reply);
    for (const text of texts) reply.write(text);
    reply.end();
  };

const insideStream = (
  name: string,
  record: string,
  error: RegExp,
  more: Partial<Behaviour> = {},
): Behaviour => ({
  name: `${name} after a call`,
  only: "stream",
  turns: [streamed(frame(chunk({ role: "assistant", content: "I look." })), CALLING, record, DONE)],
  runs: [],
  error,
  asked: 1,
  ...more,
});

const first = (name: string, record: string, status: number, error: RegExp): Behaviour => ({
  name: `${name} first`,
  only: "stream",
  turns: [streamed(": note\n\n", record, DONE)],
  status,
  error,
});

const OBJECT =
  'data: {"object":"error","message":"The context is full.","type":"BadRequestError","code":400}\n\n';
const NAMED =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';

const errors: Behaviour[] = [
  insideStream("an error object", OBJECT, /The context is full/),
  first("an error object", OBJECT, 400, /The context is full/),
  insideStream("an error event", NAMED, /Overloaded/),
  first("an error event", NAMED, 500, /Overloaded/),
  insideStream("an error event that is text", "event: error\ndata: out of memory\n\n", /out of memory/),
  insideStream("an error as text", 'data: {"error":"model crashed"}\n\n', /model crashed/),
  first("an error as text", 'data: {"error":"model crashed"}\n\n', 500, /model crashed/),
  insideStream("a field named error", 'error: {"code":500,"message":"no slot"}\n\n', /no slot/),
  insideStream("a bare error record", '{"error":{"message":"proxy failed"}}\n\n', /proxy failed/),
  insideStream("the detail of a framework", 'data: {"detail":"Internal error"}\n\n', /Internal error/),
  insideStream("a page", "<html><h1>502 Bad Gateway</h1></html>\n\n", /not JSON/),
  insideStream("a line of a proxy", "upstream connect error or disconnect: reset\n\n", /not JSON/),
  insideStream("a frame that is a list", "data: []\n\n", /not JSON/),
  insideStream(
    "an error of a choice",
    frame({ choices: [{ index: 0, delta: {}, finish_reason: null, error: { message: "upstream died" } }] }),
    /upstream died/,
  ),
  ...["error", "abort", "insufficient_system_resource", "network_error"].map((reason) =>
    insideStream(`the reason ${reason}`, frame(chunk({}, reason)), new RegExp(reason)),
  ),
  {
    name: "an error object in one piece",
    only: "whole",
    turns: [
      (_request, reply) => reply.json(200, { object: "error", message: "The context is full.", code: 400 }),
    ],
    status: 400,
    error: /The context is full/,
  },
  {
    name: "the reason error in one piece",
    only: "whole",
    turns: [
      (_request, reply) =>
        reply.json(200, completion({ calls: [{ name: "Test_Look", arguments: "{}" }], finish: "error" })),
    ],
    runs: [],
    status: 500,
    error: /finish reason "error"/,
  },
];

const ends: Behaviour[] = [
  {
    name: "empty reasons until the connection ends",
    only: "stream",
    turns: [streamed(frame(chunk({ content: "half" }, "")), frame(chunk({ tool_calls: [CALL] }, "")))],
    runs: [],
    error: /an incomplete stream/,
  },
  {
    name: "[DONE] alone",
    only: "stream",
    turns: [streamed(DONE)],
    status: 500,
    error: /without an answer/,
  },
  {
    name: "[DONE] after a role",
    only: "stream",
    turns: [streamed(frame(chunk({ role: "assistant", content: "" })), DONE)],
    status: 500,
    error: /without an answer/,
  },
  {
    name: "a call that ends without a reason",
    only: "stream",
    turns: [streamed(CALLING)],
    status: 500,
    runs: [],
    error: /an incomplete stream/,
  },
  {
    name: "an empty reason after a real one",
    only: "stream",
    turns: [streamed(frame(chunk({ content: "All." }, "length")), frame(chunk({}, "")), DONE)],
    content: "All.",
    finish: "length",
  },
  ...[
    ["eos", "stop"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["tool_use", "stop"],
    ["safety", "content_filter"],
  ].map(([reason = "", finish = ""]): Behaviour => ({
    name: `the reason ${reason} of a server`,
    turns: [
      (request, reply) =>
        request.stream === true
          ? streamed(frame(chunk({ content: "All." }, reason)), DONE)(request, reply, 0, undefined as never)
          : reply.json(200, completion({ content: "All.", finish: reason })),
    ],
    content: "All.",
    finish,
  })),
  {
    name: "empty and unknown events",
    only: "stream",
    turns: [
      streamed(
        "data:\n\n",
        "event: ping\ndata: {}\n\n",
        "event: status\ndata: queued\n\n",
        frame(chunk({ content: "All." }, "stop")),
        DONE,
      ),
    ],
    content: "All.",
    finish: "stop",
  },
];

export const failedRows: readonly Behaviour[] = [...errors, ...ends];
