// Converts model entries between the configuration, the database and the API.
import { timestamp } from "../base";
import type { ModelRecord, StaticModel } from "../config";
import { invalidParameter } from "../errors";
import { projectBinding } from "../identity";
import type { ModelEntry, ModelEntryPatch } from "./model-schema";
import type { ModelRow } from "./repository";
import { type ServerRecord, shownServer } from "./server-of";

export function recordOf({ id, type, server, models }: ModelRow): ModelRecord {
  // Both were stored by this area from checked records.
  const settings = JSON.parse(server) as NonNullable<ServerRecord["openai"]>;
  const record: ServerRecord = type === "anthropic" ? { anthropic: settings } : { openai: settings };
  return { id, models: JSON.parse(models) as string[], ...record };
}

// Some fields exist only in the messages protocol.
export function mergedServer(row: ModelRow, changes: Omit<ModelEntryPatch, "models" | "api_key">): string {
  if (row.type === "openai" && (changes.api_version !== undefined || changes.max_tokens !== undefined)) {
    throw invalidParameter("api_version and max_tokens are only valid for entries of the type anthropic.");
  }
  const other = OPENAI_ONLY.find((field) => row.type === "anthropic" && changes[field] !== undefined);
  if (other !== undefined) throw invalidParameter(`${other} is only valid for entries of the type openai.`);
  const { responses_endpoint: endpoint, ...server } = { ...JSON.parse(row.server), ...changes };
  return JSON.stringify(endpoint === "" ? server : { ...server, responses_endpoint: endpoint });
}

const OPENAI_ONLY = ["limit_field", "responses_endpoint", "embeddings_endpoint"] as const;

export function staticEntry({ record, apiKey }: StaticModel): ModelEntry {
  return {
    id: record.id,
    ...shownServer(record),
    models: record.models ?? [],
    api_key: { binding: "static", editable: false, exists: apiKey !== undefined },
    binding: { type: "static" },
  };
}

export function entryOf(row: ModelRow): ModelEntry {
  const { id, models = [], ...record } = recordOf(row);
  return {
    id,
    ...shownServer(record),
    models,
    api_key: { binding: "project", editable: true, exists: row.sealed_api_key !== null },
    binding: projectBinding(row.project_id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}
