// `nullable` of OpenAPI 3.0: the check knows only the type `null`.
import type { Node } from "./references";

/** Keywords that other than `type` and `enum` that may refuse null. */
const OTHERS = ["$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "not", "const", "if"];

/**
 * The keywords without `nullable`. `around`: the schema is one of two alternatives, the other is null; these are the texts
 * of both.
 */
export function nullableSchema(schema: Node): { keywords: Node; around?: Node } {
  const { nullable, ...keywords } = schema;
  if (nullable !== true) return { keywords };
  const { type, enum: values, title, description, default: usual, ...rest } = keywords;
  if (OTHERS.some((keyword) => Object.hasOwn(keywords, keyword)))
    return {
      keywords: { ...present({ type, enum: values }), ...rest },
      around: present({ title, description, default: usual }),
    };
  return {
    keywords: {
      ...keywords,
      ...(type === undefined ? {} : { type: [...new Set<unknown>([type, "null"].flat())] }),
      ...(Array.isArray(values)
        ? { enum: values.includes(null) ? values : [...(values as unknown[]), null] }
        : {}),
    },
  };
}

function present(keywords: Node): Node {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
