// Language models: their list, and chat completions.
import { EmbeddingsRequest, EmbeddingsResponse } from "../../src/llm/embeddings";
import { ModelList } from "../../src/llm/model-schema";
import { ResponsesRequest, ResponsesResponse } from "../../src/llm/responses/schema";
import { ChatRequest, ChatResponse } from "../../src/llm/schema";
import type { ChatAnswer, ChatCall } from "../../src/llm";
import { type Call, operation } from "./operation";

const tag = "Language model";
const errors = [400, 401, 403, 413, 415, 429, 500, 504] as const;
/** What operations have in common that answer a conversation, whole or streamed. */
const conversation = { errors, slow: true, streams: true, takesIdempotencyKey: true } as const;

export const llmOperations = [
  operation("POST", "/v1/chat/completions", {
    id: "llm-chat",
    credential: ["admin", "run"],
    tag,
    summary: "Complete a conversation, optionally with tools",
    body: ChatRequest,
    success: { status: 200, schema: ChatResponse },
    ...conversation,
    handle: (call) => {
      const { runtime, principal, body: request, text, idempotencyKey } = call;
      return conversed(call, (stop) =>
        runtime.chat.complete(principal, { request, text, idempotencyKey, ...stop }),
      );
    },
  }),
  operation("POST", "/v1/responses", {
    id: "llm-responses",
    credential: ["admin", "run"],
    tag,
    summary: "Answer a conversation of the Responses protocol, optionally with tools",
    body: ResponsesRequest,
    success: { status: 200, schema: ResponsesResponse },
    ...conversation,
    handle: (call) => {
      const { runtime, principal, body: request, text, idempotencyKey } = call;
      return conversed(call, (stop) =>
        runtime.responses.create(principal, { request, text, idempotencyKey, ...stop }),
      );
    },
  }),
  operation("POST", "/v1/embeddings", {
    id: "llm-embeddings",
    credential: ["admin", "run"],
    tag,
    summary: "Embed texts",
    body: EmbeddingsRequest,
    success: { status: 200, schema: EmbeddingsResponse },
    errors,
    slow: true,
    handle: async ({ runtime, principal, body: request, text, departure }) => {
      using signal = departure();
      return jsonText(await runtime.embeddings.create(principal, { request, text, signal }));
    },
  }),
  operation("GET", "/v1/models", {
    id: "models-list",
    credential: ["admin", "run", "read"],
    tag,
    summary: "List the models of chat completions",
    success: { status: 200, schema: ModelList },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.models.published(principal),
  }),
];

const JSON_TYPE = { "content-type": "application/json", "cache-control": "no-store" };

/** A stream outlasts its handler, so it needs a real signal; a whole answer does not. */
async function conversed(
  call: Pick<Call<unknown, { stream?: boolean | null }>, "body" | "departure" | "signal" | "streaming">,
  answer: (stop: Pick<ChatCall, "signal" | "ended">) => Promise<ChatAnswer>,
): Promise<Response> {
  if (call.body.stream === true) {
    const ended = call.streaming();
    try {
      return responseOf(await answer({ signal: call.signal, ended }));
    } catch (error) {
      ended();
      throw error;
    }
  }
  using signal = call.departure();
  return responseOf(await answer({ signal }));
}

function responseOf(answer: ChatAnswer): Response {
  return "json" in answer ? jsonText(answer.json) : eventStream(answer.events);
}

function jsonText(json: string): Response {
  return new Response(json, { headers: JSON_TYPE });
}

function eventStream(events: ReadableStream<Uint8Array>): Response {
  return new Response(events, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Keeps proxies from buffering the events.
      "x-accel-buffering": "no",
    },
  });
}
