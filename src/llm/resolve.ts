// Finds the server and the model of a request.
import { nearest } from "../base";
import { invalidParameter, unknownRecord } from "../errors";
import type { ModelList } from "./model-schema";
import type { ModelServer } from "./server-of";

export interface Choice {
  server: ModelServer;
  /** The name of the model at the server. */
  model: string;
}

/**
 * A request names `entry/model`, an entry (its first model), or a model that an entry lists; earlier entries take
 * precedence. Throws `invalid_parameter` for an unknown model.
 */
export function resolveModel(servers: readonly ModelServer[], text: string): Choice {
  if (servers.length === 0) {
    throw invalidParameter(
      "No language model is configured. Add one with `runtime models create`, or under `models` in runtime.yaml.",
    );
  }
  const [entry, ...rest] = text.split("/");
  const named = servers.find(({ id }) => id === entry);
  const name = rest.join("/");
  if (named !== undefined && name !== "" && named.models.includes(name))
    return { server: named, model: name };
  if (named !== undefined && rest.length === 0) return { server: named, model: firstOf(named) };
  const lists = servers.find(({ models }) => models.includes(text));
  if (lists !== undefined) return { server: lists, model: text };
  // An entry without a list accepts any model.
  if (named !== undefined && name !== "" && named.models.length === 0) return { server: named, model: name };
  const guess = nearest(text, modelNames(servers));
  const hint = guess === undefined ? "GET /v1/models lists the models." : `Did you mean "${guess}"?`;
  throw invalidParameter(`model: unknown model. ${hint}`, unknownRecord("model"));
}

function firstOf({ id, models: [first] }: ModelServer): string {
  if (first !== undefined) return first;
  throw invalidParameter(`model: the entry "${id}" lists no models. Name one: ${id}/MODEL.`);
}

/** The names of models for requests: plain if they are unambiguous, otherwise with their entry. */
export function modelNames(servers: readonly ModelServer[]): string[] {
  return modelList(servers).data.map(({ id }) => id);
}

export function modelList(servers: readonly ModelServer[]): ModelList {
  const taken = new Set(servers.map(({ id }) => id));
  const data = servers.flatMap(({ id, models, created }) => {
    const names = models.length === 0 ? [id] : models.map((name) => plainOr(`${id}/${name}`, name, taken));
    return names.map((name) => ({ id: name, object: "model" as const, created, owned_by: id }));
  });
  return { object: "list", data };
}

function plainOr(full: string, name: string, taken: Set<string>): string {
  // `a/b` may be read as model `b` of entry `a`.
  const ambiguous = taken.has(name) || taken.has(name.split("/")[0] ?? "");
  if (ambiguous) return full;
  taken.add(name);
  return name;
}
