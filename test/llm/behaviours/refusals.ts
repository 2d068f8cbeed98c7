// What a server of models answers instead of a completion, in the first turn and after a tool has run.
import { completion, say, type Turn } from "../../sandbox/models/chat-server";
import type { Behaviour } from "./behaviour";

const HTML = { "content-type": "text/html" };
const PAGE = "<html><h1>Bad Gateway</h1></html>";
const call: Turn = (request, reply) =>
  say(request, reply, { calls: [{ name: "Test_Act", arguments: '{"text":"write"}', id: "x" }] });
const reading: Turn = (request, reply) =>
  say(request, reply, { calls: [{ name: "Test_Look", arguments: "{}", id: "x" }] });
const done: Turn = (request, reply) => say(request, reply, { content: "Done." });

function retryAfter(expected: (seconds: number) => boolean): NonNullable<Behaviour["also"]> {
  return ({ headers }) => {
    const text = headers.get("retry-after");
    if (text === null || !expected(Number(text))) throw new Error(`Retry-After: ${text}`);
  };
}

const shouldNotRepeat: NonNullable<Behaviour["also"]> = ({ headers }) => {
  if (headers.get("x-should-retry") !== "false") throw new Error("clients would repeat it");
};

const first: Behaviour[] = [
  {
    name: "429 with seconds",
    faults: ["lost-retry-hint"],
    turns: [(_, reply) => reply.json(429, {}, { "retry-after": "7" })],
    status: 429,
    error: /limits requests/,
    asked: 1,
    also: retryAfter((seconds) => seconds === 7),
  },
  {
    name: "429 with a date",
    faults: ["lost-retry-hint"],
    turns: [
      (_, reply) => reply.json(429, {}, { "retry-after": new Date(Date.now() + 30_000).toUTCString() }),
    ],
    status: 429,
    error: /limits requests/,
    also: retryAfter((seconds) => seconds > 20 && seconds <= 30),
  },
  {
    name: "429 with milliseconds",
    turns: [(_, reply) => reply.json(429, {}, { "retry-after-ms": "1500" })],
    status: 429,
    error: /limits requests/,
    also: retryAfter((seconds) => seconds === 2),
  },
  {
    name: "502 as a page",
    faults: ["html-from-upstream"],
    turns: [(_, reply) => reply.send(502, HTML, PAGE)],
    status: 500,
    error: /^(?!.*<h1>).*\(502\)/,
  },
  {
    name: "200 as a page",
    faults: ["html-from-upstream"],
    turns: [(_, reply) => reply.send(200, HTML, PAGE)],
    status: 500,
    error: /^(?!.*<h1>).*200.*text\/html/,
  },
  {
    name: "200 with nothing",
    faults: ["html-from-upstream"],
    turns: [(_, reply) => reply.send(200, { "content-type": "application/json" }, "")],
    status: 500,
    error: /200 with an empty body/,
  },
  {
    name: "200 with half of the JSON",
    faults: ["html-from-upstream"],
    turns: [(_, reply) => reply.send(200, { "content-type": "application/json" }, '{"choices":[{')],
    status: 500,
    error: /200 with something that is not JSON/,
  },
  {
    name: "200 with an error object",
    turns: [(_, reply) => reply.json(200, { error: { message: "no credits", code: 402 } })],
    status: 500,
    error: /402/,
  },
  {
    name: "200 without choices",
    only: "whole",
    turns: [(_, reply) => reply.json(200, { id: "x", choices: [] })],
    status: 500,
    error: /no choices/,
  },
  {
    name: "a whole answer where a stream was asked for",
    only: "stream",
    turns: [(_, reply) => reply.json(200, completion({ content: "Hello." }))],
    status: 500,
    error: /JSON instead of a stream/,
  },
  {
    name: "400 with its reason",
    turns: [(_, reply) => reply.json(400, { error: { message: "context length exceeded" } })],
    status: 400,
    error: /context length exceeded/,
  },
  {
    name: "400 as a page",
    turns: [(_, reply) => reply.send(400, HTML, PAGE)],
    status: 400,
    error: /\(400\)\. It gave no reason/,
  },
  {
    name: "401 says nothing of the key",
    turns: [
      (_, reply) =>
        reply.json(401, { error: { message: "Incorrect API key provided: key-of-the-upstream-CANARY" } }),
    ],
    status: 500,
    error: /^(?!.*CANARY).*must check its api_key/,
  },
  {
    name: "a reason that holds our key",
    turns: [(_, reply) => reply.json(422, { error: { message: "bad: key-of-the-upstream-CANARY" } })],
    status: 400,
    error: /bad: \[redacted\]/,
  },
  {
    name: "504 of the server's own",
    turns: [(_, reply) => reply.json(504, {})],
    status: 504,
    error: /did not answer in time/,
  },
  {
    name: "no answer",
    faults: ["silent-request"],
    turns: [() => undefined],
    status: 504,
    error: /did not answer within/,
  },
  {
    name: "a redirect",
    turns: [(_, reply) => reply.send(302, { location: "http://127.0.0.1:1/" }, "")],
    status: 500,
    error: /redirect/,
  },
];

const later: Behaviour[] = [
  {
    name: "429 after a write is waited for, and the write is not repeated",
    faults: ["lost-retry-hint", "repeated-write"],
    turns: [call, (_, reply) => reply.json(429, {}, { "retry-after": "1" }), done],
    runs: [{ text: "write" }],
    content: "Done.",
    asked: 3,
  },
  {
    name: "a failure after a write that stays is told in a way that no client repeats",
    faults: ["repeated-write"],
    turns: [call, (_, reply) => reply.json(503, {})],
    runs: [{ text: "write" }],
    only: "whole",
    status: 500,
    error: /\(503\).*A tool that writes has already run/,
    asked: 4,
    also: shouldNotRepeat,
  },
  {
    name: "a wait that is too long is not waited for",
    turns: [call, (_, reply) => reply.json(429, {}, { "retry-after": "3600" })],
    runs: [{ text: "write" }],
    only: "whole",
    status: 500,
    error: /A tool that writes has already run/,
    asked: 2,
    also: shouldNotRepeat,
  },
  {
    name: "a refusal after a write is not asked again",
    turns: [call, (_, reply) => reply.json(400, { error: { message: "too long" } })],
    only: "whole",
    status: 500,
    error: /too long.*A tool that writes has already run/,
    asked: 2,
    also: shouldNotRepeat,
  },
  {
    name: "429 after a read that stays is 429: who repeats it does no harm",
    turns: [reading, (_, reply) => reply.json(429, {}, { "retry-after": "3600" })],
    only: "whole",
    status: 429,
    error: /limits requests/,
    asked: 2,
    also: retryAfter((seconds) => seconds === 3600),
  },
  {
    name: "a failure after a write in a stream is an error event",
    turns: [call, (_, reply) => reply.json(400, { error: { message: "too long" } })],
    only: "stream",
    runs: [{ text: "write" }],
    error: /too long.*A tool that writes has already run/,
  },
];

export const refusalRows: readonly Behaviour[] = [...first, ...later];
