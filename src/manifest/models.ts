// Model entries in a manifest. Those of the configuration file belong to the deployment and are not exported.
import { present } from "../base";
import { alreadyExists, malformedRequest } from "../errors";
import type { ModelEntry, ModelEntryCreate, Models } from "../llm";
import type { Principal } from "../identity";
import type { Manifest, ManifestModel } from "./schema";
import {
  byName,
  changeOf,
  differing,
  distinctNames,
  type Draft,
  pruned,
  secretFields,
  type Services,
  type Step,
} from "./step";

export async function exportedModels({ models }: Services, principal: Principal) {
  const nameOf = distinctNames();
  const own = (await models.list(principal)).filter(isOwn);
  return byName(own, "id").map((entry) => exportedModel(entry, nameOf(entry.id)));
}

export async function planModels(
  { models }: Services,
  principal: Principal,
  manifest: Manifest,
  { prune }: Draft,
): Promise<Step[]> {
  const entries = await models.list(principal);
  const wantedModels = manifest.models ?? [];
  const steps = wantedModels.map(async (given, index): Promise<Step> => {
    const [wanted, needsKey] = withoutSource(given);
    const known = entries.find(({ id }) => id === wanted.id);
    const isMissing = needsKey && known?.api_key.exists !== true;
    const missing = isMissing ? [`the API key of the model entry ${wanted.id}`] : [];
    const field = `models.${index}`;
    if (known === undefined) {
      const create = changeOf("model", wanted.id);
      return { change: create, field, missing, prepare: () => models.creation(principal, wanted) };
    }
    const patch = patchOf(wanted, known);
    const { api_key, ...visible } = patch;
    const isNew = api_key !== undefined && !(await models.hasKey(principal, wanted.id, api_key));
    const differences = [...differing(visible, known), ...secretFields(isNew ? ["api_key"] : [])];
    return {
      change: changeOf("model", wanted.id, differences),
      field,
      missing,
      prepare: () => models.change(principal, wanted.id, patch),
    };
  });
  return [
    ...unwanted(models, principal, prune ? manifest.models : undefined, entries),
    ...(await Promise.all(steps)),
  ];
}

function unwanted(
  models: Models,
  principal: Principal,
  wanted: Manifest["models"],
  entries: readonly ModelEntry[],
): Step[] {
  if (wanted === undefined) return [];
  const ids = new Set(wanted.map(({ id }) => id));
  return entries
    .filter((entry) => isOwn(entry) && !ids.has(entry.id))
    .map(({ id }) => pruned("model", id, () => models.deletion(principal, id)));
}

/** The wanted entry, and whether it needs a key that the manifest does not contain. */
function withoutSource({ openai, anthropic, ...entry }: ManifestModel): [ModelEntryCreate, boolean] {
  const plain = (given: NonNullable<ManifestModel["openai"]>) => {
    const { api_key_from: _, ...server } = given;
    return server;
  };
  const servers = [openai, anthropic].filter((server) => server !== undefined);
  return [
    { ...entry, ...present({ openai: openai && plain(openai), anthropic: anthropic && plain(anthropic) }) },
    servers.some((server) => server.api_key_from !== undefined && server.api_key === undefined),
  ];
}

/** Throws if the entry cannot be changed into the wanted one. */
function patchOf({ id, models, openai, anthropic }: ModelEntryCreate, known: ModelEntry) {
  if (!isOwn(known))
    throw alreadyExists(
      `The model entry "${id}" belongs to the configuration file. Leave it out of the manifest.`,
    );
  const server = known.type === "openai" ? openai : anthropic;
  const other = known.type === "openai" ? anthropic : openai;
  if (server === undefined || other !== undefined)
    throw malformedRequest(
      `The model entry "${id}" has type ${known.type}, which cannot be changed. Delete it first, or use ${known.type}.`,
    );
  return { ...present({ models }), ...server };
}

function exportedModel({ id, type, models, api_key, ...entry }: ModelEntry, prefix: string) {
  const { base_url, chat_endpoint, api_version, max_tokens, limit_field } = entry;
  const { responses_endpoint, embeddings_endpoint } = entry;
  const server = {
    base_url,
    chat_endpoint,
    ...present({ responses_endpoint, embeddings_endpoint, api_version, max_tokens, limit_field }),
    ...(api_key.exists ? { api_key_from: { env: `${prefix}_API_KEY` } } : {}),
  };
  return { id, models, [type]: server };
}

function isOwn({ binding }: ModelEntry): boolean {
  return binding.type === "project";
}
