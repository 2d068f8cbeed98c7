// The rules of a manifest beyond its schema: unknown fields, and records that contradict each other. All of them can be
// checked without the stored records.
import { isObject, nearest, unknownFields, unknownMessage } from "../base";
import type { FieldError } from "../errors";
import { ManifestRequest } from "./schema";

type Item = { readonly [field: string]: unknown };

/** More would not help anybody to mend a document. */
const MAX_UNKNOWN = 20;

/**
 * Fields that no record has, with the nearest known name. Other than in bodies of single records, none is ignored: because of
 * a typing mistake, a document would not restrict what it is meant to restrict.
 */
export function unknownNames(manifest: unknown): FieldError[] {
  return unknownFields(ManifestRequest, manifest, MAX_UNKNOWN).map(({ path, name, known }) => ({
    field: path.join("."),
    rule: "unknown",
    message: unknownMessage(nearest(name, known)),
  }));
}

/** Records of the manifest that contradict each other. Also takes a document that breaks the schema. */
export function contradictions(manifest: unknown): FieldError[] {
  if (!isObject(manifest)) return [];
  const of = (list: string): Item[] => (Array.isArray(manifest[list]) ? manifest[list] : []);
  return [
    ...repeated("providers", of("providers"), "id", ({ id }) => text(id)),
    ...repeated("providers", of("providers"), "external_id", ({ external_id }) => text(external_id)),
    // Keys of secrets are case-insensitive.
    ...repeated("secrets", of("secrets"), "key", ({ key }) => text(key)?.toLowerCase()),
    ...repeated("gateways", of("gateways"), "slug", ({ slug }) => text(slug)),
    ...repeatedNames(of("gateways")),
    ...repeated("plugins", of("plugins"), "name", ({ name }) => text(name)),
    ...repeated("hooks", of("hooks"), "priority", orderOfHook),
    ...repeated("hooks", of("hooks"), "name", nameOfHook),
    ...repeated("models", of("models"), "id", ({ id }) => text(id)),
    ...of("models").flatMap((model, index) => choiceFault(`models.${index}`, model, ["openai", "anthropic"])),
    ...repeated("workers", of("workers"), "id", ({ id }) => text(id)),
    ...of("workers").flatMap((worker, index) => choiceFault(`workers.${index}`, worker, ["http", "mcp"])),
  ];
}

/** One error for each record whose key an earlier one of the list has. */
function repeated(
  list: string,
  items: readonly Item[],
  field: string,
  keyOf: (item: Item) => string | undefined,
): FieldError[] {
  const first = new Map<string, number>();
  return items.flatMap((item, index) => {
    const key = isObject(item) ? keyOf(item) : undefined;
    if (key === undefined) return [];
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    if (earlier === undefined) return [];
    return [fault(`${list}.${index}.${field}`, `is the same as that of ${list}.${earlier}`)];
  });
}

/** A gateway without a slug is the one with its name, so its name must be the only one. */
function repeatedNames(gateways: readonly Item[]): FieldError[] {
  return gateways.flatMap((gateway, index) => {
    if (!isObject(gateway) || gateway["slug"] !== undefined || text(gateway["name"]) === undefined) return [];
    const other = gateways.findIndex((each, at) => at !== index && each?.["name"] === gateway["name"]);
    if (other < 0 || (other > index && gateways[other]?.["slug"] === undefined)) return [];
    return [fault(`gateways.${index}.name`, `is the same as that of gateways.${other}: give both a slug`)];
  });
}

function orderOfHook({ hook_point, priority = 0 }: Item): string {
  return JSON.stringify([hook_point, priority]);
}

function nameOfHook({ plugin, hook_point, name }: Item): string | undefined {
  return name === undefined ? undefined : JSON.stringify([plugin, hook_point, name]);
}

function choiceFault(field: string, record: Item, choices: readonly string[]): FieldError[] {
  if (!isObject(record)) return [];
  const given = choices.filter((name) => isObject(record[name]));
  return given.length === 1 ? [] : [fault(field, `must have exactly one of ${choices.join(" and ")}`)];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fault(field: string, message: string): FieldError {
  return { field, rule: "consistent", message };
}
