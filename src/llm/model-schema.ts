// Schemas of model entries: servers of language models for chat completions.
import { type Static, Type } from "typebox";
import { AnthropicServer, ModelEntryId, OpenAiServer } from "../config";
import { BindingResponse, SecretResponse } from "../identity/schema";

const time = Type.String({ format: "date-time" });
const ModelId = Type.Unsafe<string>(ModelEntryId);

// Each field has the rules of the configuration.
const { properties: server } = AnthropicServer;
const common = {
  api_key: Type.Optional(Type.Unsafe<string>(server.api_key)),
  base_url: Type.Optional(Type.Unsafe<string>(server.base_url)),
  chat_endpoint: Type.Optional(Type.Unsafe<string>(server.chat_endpoint)),
};
const limitField = Type.Optional(
  Type.Enum([...OpenAiServer.properties.limit_field.enum], {
    description: "The field of the length limit of an answer that the server takes.",
  }),
);
const endpoint = Type.Unsafe<string>(server.chat_endpoint);
const responsesEndpoint = {
  description: "Path below base_url where the server speaks the Responses protocol.",
};
const openAi = {
  ...common,
  responses_endpoint: Type.Optional(Type.Unsafe<string>({ ...server.chat_endpoint, ...responsesEndpoint })),
  embeddings_endpoint: Type.Optional(endpoint),
  limit_field: limitField,
};
const anthropic = {
  ...common,
  api_version: Type.Optional(Type.Unsafe<string>(server.api_version)),
  max_tokens: Type.Optional(Type.Unsafe<number>(server.max_tokens)),
};
const closed = { additionalProperties: false };

const names = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 200 });

/** Exactly one of `openai` and `anthropic` is required: it selects the protocol and has the settings of the server. */
export const ModelEntryCreateRequest = Type.Object({
  id: ModelId,
  models: Type.Optional(names),
  openai: Type.Optional(Type.Object(openAi, closed)),
  anthropic: Type.Optional(Type.Object(anthropic, closed)),
});

/** Given fields replace the old values; an empty `api_key` or `responses_endpoint` removes it. The protocol cannot be changed. */
export const ModelEntryPatchRequest = Type.Object({
  models: Type.Optional(names),
  api_key: Type.Optional(Type.String({ maxLength: 200 })),
  base_url: anthropic.base_url,
  chat_endpoint: anthropic.chat_endpoint,
  responses_endpoint: Type.Optional(
    Type.String({ maxLength: 500, pattern: "^(/[^\\s#]*)?$", ...responsesEndpoint }),
  ),
  embeddings_endpoint: openAi.embeddings_endpoint,
  api_version: anthropic.api_version,
  max_tokens: anthropic.max_tokens,
  limit_field: limitField,
});

export const ModelEntryResponse = Type.Object({
  id: ModelId,
  type: Type.Enum(["openai", "anthropic"]),
  models: names,
  base_url: Type.String(),
  chat_endpoint: Type.String(),
  responses_endpoint: Type.Optional(Type.String(responsesEndpoint)),
  embeddings_endpoint: Type.Optional(Type.String()),
  api_version: Type.Optional(Type.String()),
  max_tokens: Type.Optional(Type.Integer()),
  limit_field: limitField,
  api_key: SecretResponse,
  binding: BindingResponse,
  created_at: Type.Optional(time),
  updated_at: Type.Optional(time),
});

/** A model in the form that clients of chat completions expect. */
export const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer({ description: "Seconds since 1970." }),
  owned_by: Type.String({ description: "The model entry." }),
});
export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(Model) });

/** Which tools chat completions of a project may run. */
export type RunnableTools = "all" | "read_only";

export type ModelEntryCreate = Static<typeof ModelEntryCreateRequest>;
export type ModelEntryPatch = Static<typeof ModelEntryPatchRequest>;
export type ModelEntry = Static<typeof ModelEntryResponse>;
export type ModelList = Static<typeof ModelList>;
