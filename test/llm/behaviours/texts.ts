// Texts with half of a surrogate pair, calls of the older protocol, and fields that servers want back.
import {
  chunk,
  completion,
  DONE,
  frame,
  type ModelRequest,
  startStream,
  type Turn,
} from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const HIGH = "\\ud83d";
const LOW = "\\ude00";
const call = (text: string): object => ({
  id: "x",
  type: "function",
  function: { name: "Test_Look", arguments: text },
});

/** A message in the requested form; in a stream as one chunk. `text` replaces `HALF` in the JSON. */
const says =
  (message: object, half = "HALF"): Turn =>
  (request, reply) => {
    const calls = "tool_calls" in message ? "tool_calls" : "stop";
    const record = request.stream === true ? chunk(message, calls) : wholeOf(message, calls);
    const json = JSON.stringify(record).replaceAll("HALF", half);
    if (request.stream !== true) return reply.send(200, { "content-type": "application/json" }, json);
    startStream(reply);
    reply.write(`data: ${json}\n\n${DONE}`);
    reply.end();
  };

function wholeOf(message: object, finish: string): object {
  return {
    ...completion({}),
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  };
}

const done = says({ content: "Done." });
const texts: Behaviour[] = [
  {
    name: "half of a pair in the arguments of a call",
    turns: [says({ tool_calls: [call('{"text":"aHALF"}')] }, `\\${HIGH}`), done],
    runs: [{ text: "a\uFFFD" }],
    content: "Done.",
    also: (_seen, { chat }) => wellFormedRequests(chat.upstream.exchanges),
  },
  {
    name: "half of a pair in a text",
    turns: [says({ content: "aHALFb", tool_calls: [call('{"text":"a"}')] }, HIGH), done],
    runs: [{ text: "a" }],
    also: ({ messages }, { chat }) => {
      if (messages[0]?.content !== "a\uFFFDb") throw new Error(JSON.stringify(messages[0]));
      wellFormedRequests(chat.upstream.exchanges);
    },
  },
  {
    name: "a pair in two frames",
    only: "stream",
    turns: [
      (_request, reply) => {
        startStream(reply);
        reply.write(frame(chunk({ content: "a" })).replace('"a"', `"a${HIGH}"`));
        reply.write(frame(chunk({ content: "b" }, "stop")).replace('"b"', `"${LOW}b"`) + DONE);
        reply.end();
      },
    ],
    content: "a😀b",
  },
  {
    name: "half of a pair at the end of a stream",
    only: "stream",
    turns: [says({ content: "aHALF" }, HIGH)],
    content: "a\uFFFD",
  },
];

const older: Behaviour[] = [
  {
    name: "a call of the older protocol",
    turns: [says({ content: null, function_call: { name: "Test_Look", arguments: '{"text":"a"}' } }), done],
    runs: [{ text: "a" }],
    content: "Done.",
  },
  {
    name: "a call of the older protocol in pieces",
    only: "stream",
    turns: [
      (_request, reply) => {
        startStream(reply);
        for (const piece of [
          { name: "Test_Look", arguments: "" },
          { arguments: '{"text":' },
          { arguments: '"a"}' },
        ])
          reply.write(frame(chunk({ function_call: piece })));
        reply.write(frame(chunk({}, "function_call")) + DONE);
        reply.end();
      },
      done,
    ],
    runs: [{ text: "a" }],
    content: "Done.",
  },
];

const UNKNOWN = { reasoning_content: "I think.", future: { list: [{ index: 0, text: "x" }], flag: true } };
const fields: Behaviour[] = [
  {
    name: "fields that nobody knows yet are sent back",
    turns: [says({ content: "", ...UNKNOWN, tool_calls: [{ ...call('{"text":"a"}'), mark: 1 }] }), done],
    runs: [{ text: "a" }],
    also: ({ messages }, { chat }) => {
      for (const message of [messages[0], chat.upstream.requests[1]?.messages[1]]) {
        const {
          reasoning_content,
          future,
          tool_calls: calls,
        } = message as ModelRequest["messages"][0] & typeof UNKNOWN;
        const mark = (calls as { mark: number }[])[0]?.mark;
        if (!Bun.deepEquals([{ reasoning_content, future }, mark], [UNKNOWN, 1]))
          throw new Error(JSON.stringify(message));
      }
    },
  },
];

export const textRows: readonly Behaviour[] = [...texts, ...older, ...fields];

function wellFormedRequests(exchanges: readonly { text: string }[]): void {
  const bad = exchanges.find(({ text }) => /\\ud[89a-f]/i.test(text));
  if (bad !== undefined) throw new Error(`not well-formed: ${bad.text}`);
}
