// Keywords of drafts 4 to 7 in the form of 2020-12, which is what vendors of models take.
import { isObject } from "../base";
import { formOf } from "./keywords";
import { type Node, referenceOf } from "./references";

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Next to a reference, drafts up to 7 ignore everything that restricts a value. */
const KEPT_WITH_REFERENCES = ["reference", "place", "text", "label", "flag", "list", undefined];
const DEFINITIONS = ["$defs", "definitions", "nullable"];

export function isOldDraft(document: Node): boolean {
  return /draft-0[3-7]/.test(String(document["$schema"]));
}

/** The keywords of a schema in the form of 2020-12. `old`: the document says that it follows a draft up to 7. */
export function currentKeywords(schema: Node, old: boolean): Node {
  const { items, additionalItems, dependencies, ...rest } = old ? withoutIgnored(schema) : schema;
  return {
    ...rest,
    ...(Array.isArray(items)
      ? { prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
      : items === undefined
        ? {}
        : { items }),
    ...(isObject(dependencies) ? separate(dependencies) : {}),
  };
}

function withoutIgnored(schema: Node): Node {
  if (referenceOf(schema) === undefined) return schema;
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) =>
        DEFINITIONS.includes(keyword) ||
        (keyword !== "const" && KEPT_WITH_REFERENCES.includes(formOf(keyword))),
    ),
  );
}

/** Names that a name requires, and schemas that it requires. */
function separate(dependencies: Node): Node {
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  return {
    ...(names.length === 0 ? {} : { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) }),
  };
}
