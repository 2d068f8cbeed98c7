// Model entries in a document. Those of the configuration belong to the deployment, and to no project's document.
import { alreadyExists, malformedRequest } from "../errors";
import type { ModelEntry, ModelEntryCreate } from "../llm";
import type { Principal } from "../identity";
import { differing } from "./difference";
import type { Manifest, ManifestModel } from "./schema";
import { byName, changeOf, distinctNames, needing, type Services, type Step } from "./step";

export async function exportedModels({ models }: Services, principal: Principal) {
  const nameOf = distinctNames();
  const own = (await models.list(principal)).filter(isOwn);
  return byName(own, "id").map((entry) => exportedModel(entry, nameOf(entry.id)));
}

export async function planModels(
  { models }: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const present = await models.list(principal);
  return (manifest.models ?? []).map((given): Step => {
    const [wanted, asksForKey] = withoutSource(given);
    const known = present.find(({ id }) => id === wanted.id);
    const missing = needing(
      asksForKey && known?.api_key.exists !== true ? [`the API key of the model entry ${wanted.id}`] : [],
    );
    if (known === undefined) {
      return {
        change: changeOf("model", wanted.id, undefined),
        ...missing,
        run: () => models.create(principal, wanted),
      };
    }
    const patch = patchOf(wanted, known);
    const { api_key, ...visible } = patch;
    const fields = [...differing(visible, known), ...(api_key === undefined ? [] : ["api_key"])];
    return {
      change: changeOf("model", wanted.id, fields),
      ...missing,
      run: () => models.update(principal, wanted.id, patch),
    };
  });
}

/** The entry that is wanted, and whether a key is wanted that the document does not hold. */
function withoutSource({ openai, anthropic, ...entry }: ManifestModel): [ModelEntryCreate, boolean] {
  const plain = (given: NonNullable<ManifestModel["openai"]>) => {
    const { api_key_from: _, ...server } = given;
    return server;
  };
  const servers = [openai, anthropic].filter((server) => server !== undefined);
  return [
    {
      ...entry,
      ...(openai === undefined ? {} : { openai: plain(openai) }),
      ...(anthropic === undefined ? {} : { anthropic: plain(anthropic) }),
    },
    servers.some((server) => server.api_key_from !== undefined && server.api_key === undefined),
  ];
}

/** Throws for an entry that a project cannot change into the wanted one. */
function patchOf({ id, models, openai, anthropic }: ModelEntryCreate, known: ModelEntry) {
  if (!isOwn(known))
    throw alreadyExists(`The model entry "${id}" stands in the configuration. Leave it out of the document.`);
  const server = known.type === "openai" ? openai : anthropic;
  const other = known.type === "openai" ? anthropic : openai;
  if (server === undefined || other !== undefined)
    throw malformedRequest(
      `The model entry "${id}" is of the type ${known.type}, and stays so. Delete it first, or give ${known.type}.`,
    );
  return { ...(models === undefined ? {} : { models }), ...server };
}

function exportedModel({ id, type, models, api_key, ...entry }: ModelEntry, name: string) {
  const { base_url, chat_endpoint, api_version, max_tokens } = entry;
  const server = {
    base_url,
    chat_endpoint,
    ...(api_version === undefined ? {} : { api_version }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(api_key.exists ? { api_key_from: { env: `${name}_API_KEY` } } : {}),
  };
  return { id, models, [type]: server };
}

function isOwn({ binding }: ModelEntry): boolean {
  return binding.type === "project";
}
