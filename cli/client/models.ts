// Language models and chat completions, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { ModelEntry, ModelList, RunnableTools } from "../../src/llm";
import { operation } from "./client";
import { path } from "./http";

const ENTRIES = "/v1/admin/model_entries";
const RUNNABLE = "/v1/admin/settings/runnable_tools";

export const listEntries = operation<[], Page<ModelEntry>>({
  direct: async ({ runtime, principal }) => {
    const { wholePage } = await import("../../src/base");
    return wholePage(await runtime.models.list(principal));
  },
  remote: (server) => server.get(ENTRIES),
});

export const getEntry = operation<[id: string], ModelEntry>({
  direct: ({ runtime, principal }, id) => runtime.models.show(principal, id),
  remote: (server, id) => server.get(path(`${ENTRIES}/`, id)),
});

export const createEntry = operation<[request: object], ModelEntry>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { ModelEntryCreateRequest } = await import("../../src/llm/model-schema");
    return runtime.models.create(principal, checked(ModelEntryCreateRequest, request));
  },
  remote: (server, request) => server.send("POST", ENTRIES, request),
});

export const updateEntry = operation<[id: string, patch: object], ModelEntry>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { ModelEntryPatchRequest } = await import("../../src/llm/model-schema");
    return runtime.models.update(principal, id, checked(ModelEntryPatchRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${ENTRIES}/`, id), patch),
});

export const deleteEntry = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.models.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${ENTRIES}/`, id)),
});

/** Which tools chat completions may run; `tools` changes it. */
export const runnableTools = operation<[tools: RunnableTools | undefined], { tools: RunnableTools }>({
  direct: async ({ runtime, principal }, tools) => {
    if (tools !== undefined) await runtime.models.setRunnableTools(principal, tools);
    return { tools: await runtime.models.runnableTools(principal.projectId) };
  },
  remote: (server, tools) =>
    tools === undefined ? server.get(RUNNABLE) : server.send("PUT", RUNNABLE, { tools }),
});

export const publishedModels = operation<[], ModelList>({
  direct: ({ runtime, principal }) => runtime.models.published(principal),
  remote: (server) => server.get("/v1/models"),
});

/** A streamed chat completion: its server-sent events. */
export const streamChat = operation<[request: object], ReadableStream<Uint8Array>>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { ChatRequest } = await import("../../src/llm/schema");
    const text = JSON.stringify(request);
    const answer = await runtime.chat.complete(principal, { request: checked(ChatRequest, request), text });
    if ("events" in answer) return answer.events;
    throw new Error("the request was for a stream");
  },
  remote: (server, request) => server.stream("/v1/chat/completions", request),
});
