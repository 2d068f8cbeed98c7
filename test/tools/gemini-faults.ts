// What Gemini would refuse a request for.
import { isObject } from "../../src/base";

/** All that its schema knows. */
const KNOWN = [
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "default",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "anyOf",
];

export function geminiFaults(schema: unknown, path = ""): string[] {
  if (!isObject(schema)) return [`${path} is no schema`];
  const { properties, items, anyOf, required, type } = schema;
  return [
    ...Object.keys(schema)
      .filter((key) => !KNOWN.includes(key))
      .map((key) => `${path}/${key} is unknown`),
    ...(anyOf === undefined && typeof type !== "string" ? [`${path} has no type`] : []),
    ...(isObject(properties) && Object.keys(properties).length === 0 ? [`${path} has empty properties`] : []),
    ...(type === "array" && items === undefined ? [`${path} has no items`] : []),
    ...(Array.isArray(anyOf) && anyOf.length === 0 ? [`${path} has no alternatives`] : []),
    ...(Array.isArray(required) && !required.every((name) => isObject(properties) && name in properties)
      ? [`${path} requires what is not there`]
      : []),
    ...(isObject(properties)
      ? Object.entries(properties).flatMap(([name, inner]) => geminiFaults(inner, `${path}/${name}`))
      : []),
    ...(items === undefined ? [] : geminiFaults(items, `${path}/items`)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((inner, index) => geminiFaults(inner, `${path}/${index}`)) : []),
  ];
}
