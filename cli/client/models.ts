// Language models and chat completions, on the data folder and over HTTP.
import type { ModelList } from "../../src/llm";
import { capability } from "./client";

export const publishedModels = capability<[], ModelList>({
  direct: ({ runtime, principal }) => runtime.models.published(principal),
  remote: (server) => server.get("/v1/models"),
});

/** A streamed chat completion: its server-sent events. */
export const streamChat = capability<[request: object], ReadableStream<Uint8Array>>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { ChatRequest } = await import("../../src/llm");
    const text = JSON.stringify(request);
    const answer = await runtime.chat.complete(principal, { request: checked(ChatRequest, request), text });
    if ("events" in answer) return answer.events;
    throw new Error("a stream was asked for");
  },
  remote: (server, request) => server.stream("/v1/chat/completions", request),
});
