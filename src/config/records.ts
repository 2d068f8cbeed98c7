// Model entries in the configuration. The schemas are plain objects, like those of all settings: every command loads
// them, and most commands need no schema builder.
import type { XStatic } from "typebox/schema";
import { fieldErrors, Redacted } from "../base";
import { settingError } from "./errors";
import type { Environment } from "./paths";

const name = { type: "string", minLength: 1, maxLength: 200 } as const;
const address = { type: "string", pattern: "^https?://[^\\s?#]+$", maxLength: 1000 } as const;
const endpoint = { type: "string", pattern: "^/[^\\s#]*$", maxLength: 500 } as const;

/** Letters, digits, `.`, `_`, `-`: the part of `entry/model` before the slash. */
export const ModelEntryId = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  pattern: "^(?:\\.{0,2}[A-Za-z0-9_-]|\\.{3})[A-Za-z0-9._-]*$",
} as const;

export const OpenAiServer = {
  type: "object",
  properties: {
    api_key: name,
    base_url: address,
    chat_endpoint: endpoint,
    responses_endpoint: endpoint,
    embeddings_endpoint: endpoint,
    limit_field: { enum: ["max_tokens", "max_completion_tokens"] },
  },
  additionalProperties: false,
} as const;
export const AnthropicServer = {
  type: "object",
  properties: {
    api_key: name,
    base_url: address,
    chat_endpoint: endpoint,
    api_version: name,
    max_tokens: { type: "integer", minimum: 1, maximum: 1_000_000 },
  },
  additionalProperties: false,
} as const;

export const ModelRecord = {
  type: "object",
  required: ["id"],
  properties: {
    id: ModelEntryId,
    models: { type: "array", items: name, maxItems: 200 },
    openai: OpenAiServer,
    anthropic: AnthropicServer,
  },
  additionalProperties: false,
} as const;
export type ModelRecord = XStatic<typeof ModelRecord>;

/** A model entry. Its API key is separate from the fields that may be shown. */
export interface StaticModel {
  record: ModelRecord;
  apiKey: Redacted | undefined;
}

/**
 * Reads the list. A key `${env:NAME}` is the value of that environment variable.
 * Throws `configuration` with the number of the entry and the rule, never with a value.
 */
export function readModels(value: unknown, origin: string, environment: Environment): StaticModel[] {
  if (!Array.isArray(value)) return [];
  const ids = new Set<string>();
  return value.map((given: unknown, index) => {
    const refuse = (rule: string, field = ""): Error => {
      const key = ["models", index, ...(field === "" ? [] : [field])].join(".");
      return settingError(origin, key, `"models" entry ${index + 1} ${rule}.`);
    };
    const [error] = fieldErrors(ModelRecord, given);
    if (error !== undefined) throw refuse(`${error.field} ${error.message}`.trim(), error.field);
    // Checked above.
    const { openai, anthropic, ...rest } = given as ModelRecord;
    if ((openai === undefined) === (anthropic === undefined)) {
      throw refuse("must have either openai or anthropic");
    }
    if (ids.has(rest.id)) throw refuse("has the same id as an earlier entry");
    ids.add(rest.id);
    const { api_key: key, ...server } = openai ?? anthropic ?? {};
    const apiKey = key === undefined ? undefined : keyOf(key, environment, refuse);
    return {
      record: { ...rest, ...(openai === undefined ? { anthropic: server } : { openai: server }) },
      apiKey,
    };
  });
}

function keyOf(text: string, environment: Environment, refuse: (rule: string) => Error): Redacted {
  const variable = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1];
  if (variable === undefined) return new Redacted(text);
  const value = environment[variable];
  if (value === undefined || value === "")
    throw refuse(`names the environment variable ${variable}, which is not set`);
  return new Redacted(value);
}
