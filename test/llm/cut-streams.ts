// Streams that break: cut anywhere, with an error or garbage in the middle. Runs the loop in this process and tells which
// calls it would have run, and which it would have given to the caller as a response.
import fc from "fast-check";
import { silentLog, systemClock } from "../../src/base";
import type { Core } from "../../src/core";
import { toRuntimeError } from "../../src/errors";
import { converse } from "../../src/llm/loop/converse";
import type { Calls } from "../../src/llm/loop/calls";
import type { ToolSet } from "../../src/llm/loop/tool-set";
import { failedResponse, streamedResponse } from "../../src/llm/responses/answer";
import { singleTurn } from "../../src/llm/responses/steps";
import { ResponseWriter } from "../../src/llm/responses/writer";
import type { ModelServer } from "../../src/llm/server-of";
import { noTelemetry } from "../../src/telemetry";
import { anthropicClient } from "../../src/llm/upstream/anthropic";
import type { ModelClient } from "../../src/llm/upstream/client";
import { openAiClient } from "../../src/llm/upstream/openai";
import { ROUNDS } from "../sandbox/models/dialects";
import { ALL, streamOf } from "../sandbox/models/hosted-dialects";
import { eventsOf, eventText } from "../sandbox/models/messages-server";

interface Sample {
  name: string;
  type: ModelServer["type"];
  text: string;
  /** Length up to the event that ends the turn. */
  end: number;
}

const CALLING = ROUNDS[0];

/** A turn with a call, of each dialect. */
export const SAMPLES: readonly Sample[] = [
  ...ALL.map((dialect): Sample => {
    if (CALLING === undefined) throw new Error("no rounds");
    const text = streamOf(dialect, CALLING);
    const at = text.indexOf('"finish_reason":"tool_calls"');
    return { name: dialect.name, type: "openai", text, end: text.indexOf("\n\n", at) };
  }),
  messagesSample(),
];

function messagesSample(): Sample {
  const calls = [{ id: "toolu_1", name: "Test_Look", input: { text: "a" } }];
  const text = eventsOf({ text: "I look.", calls }).map(eventText).join("");
  return { name: "Messages", type: "anthropic", text, end: text.lastIndexOf("\n\n") };
}

const ERRORS = [
  'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n',
  'data: {"object":"error","message":"overloaded","type":"BadRequestError","code":400}\n\n',
  'data: {"error":"overloaded"}\n\n',
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  "event: error\ndata: overloaded\n\n",
  'error: {"code":500,"message":"slot unavailable"}\n\n',
  '{"error":{"message":"bare"}}\n\n',
  'data: {"detail":"Internal Server Error"}\n\n',
  "data: {oops\n\n",
  "<html><body>502 Bad Gateway</body></html>\n\n",
  "upstream connect error or disconnect: reset\n\n",
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\n',
];

/** A stream whose turn failed, in pieces. */
export const broken = fc
  .record({
    sample: fc.constantFrom(...SAMPLES),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    how: fc.constantFrom("cut", "cut between events", "reset", "error"),
    error: fc.constantFrom(...ERRORS),
    size: fc.integer({ min: 1, max: 400 }),
  })
  .map(({ sample, place, how, error, size }) => {
    // Before the last character of the event that ends the turn.
    const at = Math.floor(place * (sample.end - 1));
    const head = sample.text.slice(0, at);
    const event = head.slice(0, head.lastIndexOf("\n\n") < 0 ? 0 : head.lastIndexOf("\n\n") + 2);
    const text =
      how === "error"
        ? event + error + sample.text.slice(event.length)
        : how === "cut between events"
          ? event
          : head;
    return { sample, how, text, size, breaks: how === "reset" };
  });

interface Stream {
  sample: Sample;
  text: string;
  /** Bytes in a piece. */
  size: number;
  breaks: boolean;
}

/** A client of a model that sends this stream. */
function clientOf({ sample, text, size, breaks }: Stream): { core: Core; client: ModelClient } {
  const core = {
    clock: systemClock,
    log: silentLog,
    telemetry: noTelemetry,
    settings: { "llm.timeout": 5, "llm.tool_result_limit": 1000 },
    random: (length: number) => new Uint8Array(length).fill(7),
    egress: { fetch: async () => new Response(bodyOf(text, size, breaks), { headers: STREAM }) },
  } as unknown as Core;
  const server = {
    id: "local",
    type: sample.type,
    url: "http://a",
    models: [],
    maxTokens: 10,
  } as unknown as ModelServer;
  return {
    core,
    client: sample.type === "openai" ? openAiClient(core, server) : anthropicClient(core, server),
  };
}

const BODY = { model: "m", messages: [{ role: "user", content: "Look." }] };

/** How often the calls of the turn would have been given to the caller, as items of a response. */
export async function callsGiven(stream: Stream): Promise<number> {
  const { core, client } = clientOf(stream);
  const options = { signal: undefined, timeoutMs: 5000 };
  const steps = singleTurn({ core, client, body: BODY, streams: true, options, isName: () => true });
  const writer = new ResponseWriter({
    model: "m",
    echoed: {},
    namespaces: new Map(),
    outputOnly: false,
    newId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
    now: () => 0,
  });
  let given = 0;
  try {
    for await (const text of streamedResponse(steps, writer))
      given += text.split('"function_call"').length - 1;
  } catch (thrown) {
    given += failedResponse(toRuntimeError(thrown), writer).split('"function_call"').length - 1;
  }
  return given;
}

/** How often the calls of the turn would have run. */
export async function callsRun(stream: Stream): Promise<number> {
  let ran = 0;
  const { core, client } = clientOf(stream);
  const calls = {
    ran: 0,
    wrote: 0,
    async *answers(requested: readonly unknown[]) {
      ran += requested.length;
      yield* [];
    },
  } as unknown as Calls;
  const set = { running: "execute", find: () => ({}), has: () => true } as unknown as ToolSet;
  const steps = converse({
    core,
    client,
    set,
    calls,
    body: BODY,
    streams: true,
    signal: new AbortController().signal,
  });
  try {
    while ((await steps.next()).done !== true);
  } catch {
    // Most of these are errors; what counts is what ran.
  }
  return ran;
}

const STREAM = { "content-type": "text/event-stream" };

function bodyOf(text: string, size: number, breaks: boolean): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.byteLength) controller.enqueue(bytes.slice(at, (at += size)));
      else if (breaks) controller.error(new Error("reset"));
      else controller.close();
    },
  });
}
