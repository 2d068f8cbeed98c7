// Language models: their list, and chat completions.
import { ChatRequest, ChatResponse } from "../../src/llm/schema";
import { ModelList } from "../../src/llm/model-schema";
import { operation } from "./operation";

const tag = "Language model";

export const llmOperations = [
  operation("POST", "/v1/chat/completions", {
    id: "llm-chat",
    credential: ["admin", "run"],
    tag,
    summary: "Complete a conversation, optionally with tools",
    body: ChatRequest,
    success: { status: 200, schema: ChatResponse },
    errors: [400, 401, 403, 413, 415, 429, 500, 504],
    slow: true,
    streams: true,
    takesIdempotencyKey: true,
    modelErrors: true,
    handle: async ({ runtime, principal, body: request, text, signal, streaming, idempotencyKey }) => {
      const ended = request.stream === true ? streaming() : undefined;
      const answer = await runtime.chat.complete(principal, { request, text, signal, ended, idempotencyKey });
      return "json" in answer
        ? new Response(answer.json, { headers: JSON_TYPE })
        : eventStream(answer.events);
    },
  }),
  operation("GET", "/v1/models", {
    id: "models-list",
    credential: ["admin", "run", "read"],
    tag,
    summary: "List the models of chat completions",
    success: { status: 200, schema: ModelList },
    errors: [401, 403, 500],
    modelErrors: true,
    handle: ({ runtime, principal }) => runtime.models.published(principal),
  }),
];

const JSON_TYPE = { "content-type": "application/json", "cache-control": "no-store" };

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
