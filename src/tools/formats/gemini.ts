// Converts JSON Schema to the subset of OpenAPI 3.0 that Gemini supports. It refuses a whole request because of one unknown
// keyword, so only listed keywords are used; the others are still checked when the tool runs.
import { isObject } from "../../base";
import type { JsonSchema } from "./self-contained";

/** Copied unchanged. */
const COPIED = [
  "title",
  "description",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "default",
] as const;
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time"],
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** The schema of a declaration's parameters; undefined without parameters, because Gemini refuses empty objects. */
export function geminiParameters(schema: JsonSchema): JsonSchema | undefined {
  const translated = geminiSchema(schema);
  return translated["properties"] === undefined ? undefined : translated;
}

/** `given` must not contain references. */
export function geminiSchema(given: unknown): JsonSchema {
  if (!isObject(given)) return { type: "string" };
  const schema = merged(given);
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices;
  const type = typeOf(schema);
  return {
    type,
    ...kept(schema),
    ...bounds(schema, type),
    ...format(schema, type),
    ...enumeration(schema, type),
    ...(type === "object" ? members(schema) : {}),
    ...(type === "array" ? items(schema) : {}),
  };
}

// `allOf` requires all parts: merges them to one schema.
function merged(schema: JsonSchema): JsonSchema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  return allOf.filter(isObject).reduce<JsonSchema>((sum, part) => {
    const { properties, required, ...others } = merged(part);
    return {
      ...others,
      ...sum,
      ...joined("properties", properties, sum["properties"]),
      ...joined("required", required, sum["required"]),
    };
  }, rest);
}

function joined(key: string, more: unknown, sum: unknown): JsonSchema {
  if (isObject(more)) return { [key]: { ...(isObject(sum) ? sum : {}), ...more } };
  if (Array.isArray(more)) return { [key]: [...new Set([...(Array.isArray(sum) ? sum : []), ...more])] };
  return sum === undefined ? {} : { [key]: sum };
}

// Alternatives, including lists of types. `null` makes the others nullable; a single remaining one needs no `anyOf`.
function choicesOf(schema: JsonSchema): JsonSchema | undefined {
  const { anyOf, oneOf, type, ...rest } = schema;
  const listed = Array.isArray(type) ? type.map((one: unknown) => ({ ...rest, type: one })) : undefined;
  const alternatives = [anyOf, oneOf].find(Array.isArray) ?? listed;
  if (alternatives === undefined) return undefined;
  const some = alternatives.filter((one) => !isNull(one));
  const nullable = some.length < alternatives.length ? { nullable: true } : {};
  const [only] = some;
  if (some.length === 1 && isObject(only)) return { ...geminiSchema({ ...rest, ...only }), ...nullable };
  if (some.length === 0) return { type: "string", ...kept(rest), ...nullable };
  const { title, description } = rest;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    anyOf: some.map(geminiSchema),
    ...nullable,
  };
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema["type"] === "null" || ("const" in schema && schema["const"] === null));
}

function typeOf({ type, properties, items: listed, const: only, enum: values }: JsonSchema): string {
  if (typeof type === "string" && type !== "null") return type;
  if (properties !== undefined) return "object";
  if (listed !== undefined) return "array";
  const [sample] = only === undefined ? (Array.isArray(values) ? values : []) : [only];
  if (typeof sample === "number") return Number.isInteger(sample) ? "integer" : "number";
  // Any value is allowed: the check of the tool accepts text.
  return typeof sample === "boolean" ? "boolean" : "string";
}

function kept(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    COPIED.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
}

function bounds(schema: JsonSchema, type: string): JsonSchema {
  const step = type === "integer" ? 1 : 0;
  const { exclusiveMinimum: above, exclusiveMaximum: below, minimum, maximum } = schema;
  return {
    ...(typeof above === "number" ? { minimum: Math.max(above + step, numberOr(-Infinity, minimum)) } : {}),
    ...(typeof below === "number" ? { maximum: Math.min(below - step, numberOr(Infinity, maximum)) } : {}),
  };
}

function numberOr(otherwise: number, value: unknown): number {
  return typeof value === "number" ? value : otherwise;
}

function format({ format: name }: JsonSchema, type: string): JsonSchema {
  return typeof name === "string" && FORMATS[type]?.includes(name) === true ? { format: name } : {};
}

// Gemini supports only enumerations of non-empty texts; other values are listed in the description.
function enumeration(schema: JsonSchema, type: string): JsonSchema {
  const { const: only, enum: listed, description } = schema;
  const values: unknown[] = only === undefined ? (Array.isArray(listed) ? listed : []) : [only];
  if (values.length === 0) return {};
  const texts = values.filter((value) => value !== null && value !== "").map(String);
  if (type === "string") return texts.length === 0 ? {} : { enum: texts };
  const text = `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`;
  return { description: typeof description === "string" ? `${description} ${text}` : text };
}

function members({ properties, required }: JsonSchema): JsonSchema {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  if (entries.length === 0) return {};
  const names = entries.map(([name]) => name);
  const needed = Array.isArray(required) ? required.filter((name) => names.includes(String(name))) : [];
  return {
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, geminiSchema(schema)])),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

// A list needs the type of its items; the items of a tuple become alternatives.
function items({ items: listed, prefixItems }: JsonSchema): JsonSchema {
  if (Array.isArray(prefixItems) && prefixItems.length > 0) {
    return { items: geminiSchema(prefixItems.length === 1 ? prefixItems[0] : { anyOf: prefixItems }) };
  }
  return { items: geminiSchema(listed ?? {}) };
}
