// The settings of a model server, with defaults for those that an entry leaves out.
import { type Redacted, withoutTrailingSlashes } from "../base";
import type { ModelRecord } from "../config";
import { originsOf } from "../origins";
import { type LimitField, limitFieldOf } from "./limit-field";
import type { ModelEntry } from "./model-schema";

/** A model server, ready to be called. */
export interface ModelServer {
  /** The entry that describes it. */
  id: string;
  type: "openai" | "anthropic";
  /** Names of its models, the preferred one first; empty: any model that a request names. */
  models: readonly string[];
  url: string;
  /** Where it speaks the Responses protocol; undefined: it does not. */
  responsesUrl: string | undefined;
  /** Undefined: it has no embeddings. */
  embeddingsUrl: string | undefined;
  apiKey: Redacted | undefined;
  /** The origins that the key was given for. */
  origins: readonly string[];
  /** The project whose requests it answers. */
  projectId: string;
  /** Its stored key cannot be decrypted: requests for its models fail, others do not. */
  keyLost?: true;
  /** Of the messages protocol: its version and the default length limit of answers. */
  apiVersion: string;
  maxTokens: number;
  /** Of chat completions: the field of the length limit that it takes; undefined: as the caller sends it. */
  limitField: LimitField | undefined;
  /** Seconds since 1970. */
  created: number;
}

export type ServerRecord = Pick<ModelRecord, "openai" | "anthropic">;

const DEFAULTS = {
  openai: { base_url: "https://api.openai.com/v1", chat_endpoint: "/chat/completions" },
  anthropic: {
    base_url: "https://api.anthropic.com/v1",
    chat_endpoint: "/messages",
    api_version: "2023-06-01",
    max_tokens: 4096,
  },
} as const;
const EMBEDDINGS_ENDPOINT = "/embeddings";

/** The fields of an entry with defaults for missing ones. */
export function shownServer({
  openai,
  anthropic,
}: ServerRecord): Pick<
  ModelEntry,
  | "type"
  | "base_url"
  | "chat_endpoint"
  | "responses_endpoint"
  | "embeddings_endpoint"
  | "api_version"
  | "max_tokens"
  | "limit_field"
> {
  if (anthropic !== undefined) return { type: "anthropic", ...DEFAULTS.anthropic, ...given(anthropic) };
  const server = { ...DEFAULTS.openai, ...given(openai ?? {}) };
  const limitField = server.limit_field ?? limitFieldOf(server.base_url);
  return { type: "openai", ...server, ...(limitField === undefined ? {} : { limit_field: limitField }) };
}

/** Where requests go. */
export function addressOf(record: ServerRecord): string {
  const { base_url, chat_endpoint } = shownServer(record);
  return withoutTrailingSlashes(base_url) + chat_endpoint;
}

export interface ServerFacts {
  apiKey: Redacted | undefined;
  /** Seconds since 1970. */
  created: number;
  projectId: string;
  /** The origins that the key was given for; absent: that of the address. */
  origins?: readonly string[];
}

export function serverOf(
  { id, models = [], ...record }: ModelRecord,
  { apiKey, created, projectId, origins }: ServerFacts,
): ModelServer {
  const { type, base_url, responses_endpoint, embeddings_endpoint, ...shown } = shownServer(record);
  const url = addressOf(record);
  const below = (endpoint: string | undefined): string | undefined =>
    endpoint === undefined ? undefined : withoutTrailingSlashes(base_url) + endpoint;
  return {
    id,
    type,
    models,
    url,
    responsesUrl: below(responses_endpoint),
    embeddingsUrl: below(type === "openai" ? (embeddings_endpoint ?? EMBEDDINGS_ENDPOINT) : undefined),
    apiKey,
    origins: origins ?? originsOf([url]),
    projectId,
    apiVersion: shown.api_version ?? DEFAULTS.anthropic.api_version,
    maxTokens: shown.max_tokens ?? DEFAULTS.anthropic.max_tokens,
    limitField: shown.limit_field,
    created,
  };
}

// The key is never shown.
function given<T extends { api_key?: string | undefined }>(server: T): Omit<T, "api_key"> {
  const { api_key: _, ...shown } = server;
  return shown;
}
