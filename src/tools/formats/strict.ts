// Schemas for the strict mode of function calling: every parameter is required and every object closed, and an optional
// parameter may be null, which the server reads as absent (`input.ts`). Models then always produce valid calls.
import { isObject } from "../../base";
import type { JsonSchema } from "./self-contained";

/** Without these a schema means the same or takes more; the tool still checks them. */
const DROPPED = ["default", "minLength", "maxLength", "uniqueItems", "examples", "title"];
const KEPT = [
  "type",
  "description",
  "enum",
  "const",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
];
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/**
 * The parameters in the strict form. Undefined if they cannot be expressed in it: objects of any form, optional fields
 * inside of objects (a null there is not absent), and combinations of schemas.
 */
export function strictParameters({ properties, required }: JsonSchema): JsonSchema | undefined {
  const given = isObject(properties) ? Object.entries(properties) : [];
  const needed = Array.isArray(required) ? required : [];
  const shown: JsonSchema = {};
  for (const [name, schema] of given) {
    const strict = strictSchema(schema);
    if (strict === undefined) return undefined;
    shown[name] = needed.includes(name) ? strict : nullable(strict);
  }
  return {
    type: "object",
    properties: shown,
    required: given.map(([name]) => name),
    additionalProperties: false,
  };
}

function strictSchema(schema: unknown): JsonSchema | undefined {
  if (!isObject(schema) || typeof schema["type"] !== "string") return undefined;
  const { type, properties, required, additionalProperties, items, format, ...rest } = schema;
  if (Object.keys(rest).some((key) => !KEPT.includes(key) && !DROPPED.includes(key))) return undefined;
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => KEPT.includes(key)));
  const own = { type, ...kept, ...(FORMATS.includes(String(format)) ? { format } : {}) };
  if (type === "array") {
    const strict = strictSchema(items);
    return strict === undefined ? undefined : { ...own, items: strict };
  }
  if (type !== "object") return own;
  // Without properties, an object takes any, unless it says that it does not.
  if (!isObject(properties) || (additionalProperties ?? Object.keys(properties).length === 0) !== false)
    return undefined;
  if (Object.keys(properties).some((name) => !includes(required, name))) return undefined;
  const strict = strictParameters({ properties, required });
  return strict === undefined ? undefined : { ...own, ...strict };
}

function includes(required: unknown, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  const alternatives = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, type: [type, "null"], ...alternatives };
}
