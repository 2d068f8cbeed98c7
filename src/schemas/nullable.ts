// `nullable` of OpenAPI 3.0: the check knows only the type `null`.
import type { Node } from "./references";

/** Keywords that say for themselves whether null is allowed. */
const OTHERS = ["$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "not", "const", "if"];

/**
 * The keywords without `nullable`. `around`: the schema is one of two alternatives, the other is null; these are the texts
 * of both.
 */
export function nullableSchema(schema: Node): { keywords: Node; around?: Node } {
  const { nullable, ...keywords } = schema;
  if (nullable !== true) return { keywords };
  const { type, enum: values, title, description, default: fallback, ...rest } = keywords;
  if (type !== undefined && !OTHERS.some((keyword) => Object.hasOwn(keywords, keyword))) {
    const list = Array.isArray(values) ? { enum: [...new Set<unknown>([...values, null])] } : {};
    return { keywords: { ...keywords, ...list, type: [...new Set<unknown>([type, "null"].flat())] } };
  }
  const texts = Object.entries({ title, description, default: fallback });
  return {
    keywords: Object.fromEntries(
      Object.entries({ type, enum: values, ...rest }).filter(([, value]) => value !== undefined),
    ),
    around: Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
  };
}
