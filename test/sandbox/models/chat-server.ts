// A stand-in of a chat completions server. It refuses what real servers refuse, then answers as scripted.
import { type Exchange, type Reply, type ScriptedServer, startScriptedServer } from "./http";
import { faultOf } from "../../../catalogs/sandbox/models/chat-rules";

export interface ModelRequest {
  model: string;
  messages: { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string; name?: string }[];
  tools?: { type: string; function: { name: string; parameters: unknown } }[];
  tool_choice?: unknown;
  stream?: boolean;
  [field: string]: unknown;
}

/** Answers one request. `turn` is the number of earlier requests. */
export type Turn = (
  request: ModelRequest,
  reply: Reply,
  turn: number,
  exchange: Exchange,
) => void | Promise<void>;

export interface ModelServer extends AsyncDisposable {
  /** The base address for `base_url`. */
  readonly url: string;
  readonly exchanges: Exchange[];
  /** Bodies of the requests, in order. */
  readonly requests: ModelRequest[];
  /** Refusals, in order. */
  readonly refusals: string[];
  /** Sets the script of the answers. */
  script(turn: Turn): void;
}

/** `strict: false` answers every request, for intentionally wrong ones. */
export async function startModelServer(first?: Turn, strict = true): Promise<ModelServer> {
  let turn: Turn = first ?? ((_request, reply) => reply.json(200, completion({ content: "Hello." })));
  const requests: ModelRequest[] = [];
  const refusals: string[] = [];
  const server: ScriptedServer = await startScriptedServer((exchange, reply) => {
    const request = exchange.body as ModelRequest;
    if (strict && exchange.path.endsWith("/embeddings")) return reply.json(200, EMBEDDINGS);
    const fault = strict ? faultOf(request) : undefined;
    if (fault !== undefined) {
      refusals.push(fault);
      reply.json(400, { error: { message: fault, type: "invalid_request_error", param: null, code: null } });
      return;
    }
    requests.push(request);
    return turn(request, reply, requests.length - 1, exchange);
  });
  return {
    url: `${server.origin}/v1`,
    exchanges: server.exchanges,
    requests,
    refusals,
    script: (next) => void (turn = next),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const EMBEDDINGS = {
  object: "list",
  model: "test-model-2024",
  data: [{ object: "embedding", index: 0, embedding: [0.5, -0.5] }],
  usage: { prompt_tokens: 2, total_tokens: 2 },
};

export interface Said {
  content?: string | null;
  calls?: { id?: string; name: string; arguments: string }[];
  finish?: string;
  usage?: [prompt: number, completion: number];
}

/** A whole answer. */
export function completion({ content = null, calls, finish, usage = [10, 5] }: Said): object {
  const tool_calls = calls?.map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "test-model-2024",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...(tool_calls === undefined ? {} : { tool_calls }) },
        finish_reason: finish ?? (calls === undefined ? "stop" : "tool_calls"),
      },
    ],
    usage: usageOf(usage),
  };
}

export function usageOf([prompt, completed]: [number, number]): object {
  return { prompt_tokens: prompt, completion_tokens: completed, total_tokens: prompt + completed };
}

/** One chunk of a stream. */
export function chunk(delta: object, finish: string | null = null, more: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "test-model-2024",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

export function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

/** Streams frames and ends normally. */
export function stream(reply: Reply, ...chunks: readonly object[]): void {
  startStream(reply);
  for (const one of chunks) reply.write(frame(one));
  reply.write(DONE);
  reply.end();
}

export function startStream(reply: Reply): void {
  reply.head(200, { "content-type": "text/event-stream; charset=utf-8" });
}

/** Streams a message like a model: text in pieces, calls in fragments. */
export function speak(reply: Reply, { content, calls = [], finish, usage }: Said): void {
  const pieces = (content ?? "").match(/.{1,7}/gsu) ?? [];
  const fragments = calls.flatMap((call, index) => [
    chunk({
      tool_calls: [
        {
          index,
          id: call.id ?? `call_${index}`,
          type: "function",
          function: { name: call.name, arguments: "" },
        },
      ],
    }),
    ...(call.arguments.match(/.{1,9}/gsu) ?? []).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  stream(
    reply,
    chunk({ role: "assistant", content: "" }),
    ...pieces.map((piece) => chunk({ content: piece })),
    ...fragments,
    chunk({}, finish ?? (calls.length === 0 ? "stop" : "tool_calls")),
    ...(usage === undefined ? [] : [{ ...chunk({}), choices: [], usage: usageOf(usage) }]),
  );
}

/** Sends a message in the requested form. */
export function say(request: ModelRequest, reply: Reply, message: Said): void {
  if (request.stream === true) speak(reply, message);
  else reply.json(200, completion(message));
}
