// How listings describe a value of a tool of a worker. They have six types and no references, alternatives or null.
import { isObject } from "../base";
import { referred, schemasInPlace, typesIn } from "../schemas";
import type { ValueSchema } from "./schema";

const SIMPLE = ["string", "integer", "number", "boolean"] as const;
const DEEPEST = 20;

/** The type after all references. Several types are `json`; null is not counted, because absent means the same. */
export function foreignValueSchema(root: object, schema: unknown, depth = 0): ValueSchema {
  const types = typesIn(root, [schema]);
  const type = types === undefined ? undefined : onlyOf(types);
  if (type === "array") {
    const items = depth > DEEPEST ? undefined : itemsOf(root, schema);
    const inner = foreignValueSchema(root, items, depth + 1);
    return {
      ...inner,
      val_type: "array",
      inner_val_type: inner.val_type === "array" ? "json" : inner.val_type,
    };
  }
  const texts = type === "string" ? textsOf(root, schema) : undefined;
  if (texts !== undefined) return { val_type: "string", enum: texts };
  return { val_type: SIMPLE.find((each) => each === type) ?? "json" };
}

/** Its own description, or that of what it refers to. */
export function foreignDescription(root: object, schema: unknown): string | undefined {
  let found = schema;
  for (let step = 0; step < DEEPEST && isObject(found); step++) {
    if (typeof found["description"] === "string") return found["description"];
    found = referred(root, found["$ref"]);
  }
  return undefined;
}

function onlyOf(types: ReadonlySet<unknown>): unknown {
  const [type, ...others] = types.difference(new Set(types.has("number") ? ["null", "integer"] : ["null"]));
  return others.length === 0 ? type : undefined;
}

/** The closed list of texts, if the schema has one. */
function textsOf(root: object, schema: unknown): string[] | undefined {
  const lists = schemasInPlace(root, schema)
    .map((one) => ("const" in one ? [one["const"]] : one["enum"]))
    .filter(Array.isArray);
  const texts = lists.flat().filter((value) => typeof value === "string");
  const hasOthers = schemasInPlace(root, schema).some(
    ({ type, enum: values, const: only }) =>
      [type].flat().includes("string") && values === undefined && only === undefined,
  );
  return texts.length === 0 || hasOthers ? undefined : [...new Set(texts)];
}

function itemsOf(root: object, schema: unknown): unknown {
  const lists = schemasInPlace(root, schema).flatMap(({ items, prefixItems }) =>
    prefixItems === undefined && isObject(items) ? [items] : [],
  );
  return lists.length === 1 ? lists[0] : undefined;
}
