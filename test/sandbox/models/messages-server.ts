// A stand-in of a server with the messages protocol. It refuses what the real server refuses, then answers as scripted.
import { type Exchange, type Reply, startScriptedServer } from "./http";
import { messagesFault } from "./messages-rules";

export interface MessagesRequest {
  model: string;
  max_tokens: number;
  system?: string;
  messages: { role: string; content: { type: string; [field: string]: unknown }[] }[];
  stream?: boolean;
  [field: string]: unknown;
}

export type MessagesTurn = (
  request: MessagesRequest,
  reply: Reply,
  turn: number,
  exchange: Exchange,
) => void | Promise<void>;

export interface MessagesServer extends AsyncDisposable {
  /** The base address for `base_url`. */
  readonly url: string;
  readonly exchanges: Exchange[];
  readonly requests: MessagesRequest[];
  readonly refusals: string[];
  script(turn: MessagesTurn): void;
  reset(): void;
}

export async function startMessagesServer(key: string): Promise<MessagesServer> {
  let turn: MessagesTurn = (request, reply) => utter(request, reply, { text: "Hello." });
  const requests: MessagesRequest[] = [];
  const refusals: string[] = [];
  const server = await startScriptedServer((exchange, reply) => {
    const { headers, body } = exchange;
    // Both headers contain the key; newer clients use the second.
    if (headers["x-api-key"] !== key && headers["authorization"] !== `Bearer ${key}`)
      return reply.json(401, failure("authentication_error", "invalid x-api-key"));
    const fault =
      headers["anthropic-version"] === undefined
        ? "anthropic-version: header is required"
        : messagesFault(body);
    if (fault !== undefined) {
      refusals.push(fault);
      return reply.json(400, failure("invalid_request_error", fault));
    }
    const request = body as MessagesRequest;
    requests.push(request);
    return turn(request, reply, requests.length - 1, exchange);
  });
  return {
    url: `${server.origin}/v1`,
    exchanges: server.exchanges,
    requests,
    refusals,
    script: (next) => void (turn = next),
    reset: () => {
      requests.length = 0;
      refusals.length = 0;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function failure(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

export interface Uttered {
  text?: string;
  calls?: { id: string; name: string; input: object }[];
  stop?: string;
  usage?: [input: number, output: number];
}

/** Sends a message in the requested form. */
export function utter(request: MessagesRequest, reply: Reply, uttered: Uttered): void {
  if (request.stream === true) streamMessage(reply, uttered);
  else reply.json(200, message(uttered));
}

export function message({ text = "", calls = [], stop, usage = [10, 5] }: Uttered): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-test-1",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
    stop_reason: stop ?? (calls.length === 0 ? "end_turn" : "tool_use"),
    stop_sequence: null,
    usage: { input_tokens: usage[0], output_tokens: usage[1] },
  };
}

/** The events of a message in the protocol's format. */
export function eventsOf(uttered: Uttered): { type: string; [field: string]: unknown }[] {
  const { text = "", calls = [], usage = [10, 5], stop } = uttered;
  const texts =
    text === ""
      ? []
      : [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          ...(text.match(/.{1,6}/gsu) ?? []).map((piece) => ({
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: piece },
          })),
          { type: "content_block_stop", index: 0 },
        ];
  const first = text === "" ? 0 : 1;
  const uses = calls.flatMap(({ id, name, input }, at) => {
    const index = first + at;
    const pieces =
      Object.keys(input).length === 0 ? [""] : ["", ...(JSON.stringify(input).match(/.{1,8}/gsu) ?? [])];
    return [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
      ...pieces.map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index },
    ];
  });
  return [
    {
      type: "message_start",
      message: {
        ...message(uttered),
        content: [],
        stop_reason: null,
        usage: { input_tokens: usage[0], output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...texts,
    ...uses,
    {
      type: "message_delta",
      delta: { stop_reason: stop ?? (calls.length === 0 ? "end_turn" : "tool_use"), stop_sequence: null },
      usage: { output_tokens: usage[1] },
    },
    { type: "message_stop" },
  ];
}

export function eventText(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function startMessageStream(reply: Reply): void {
  reply.head(200, { "content-type": "text/event-stream; charset=utf-8" });
}

export function streamMessage(reply: Reply, uttered: Uttered): void {
  startMessageStream(reply);
  for (const event of eventsOf(uttered)) reply.write(eventText(event));
  reply.end();
}
