// What a schema of the API description asks for: the least that fits, and what does not.
import { isObject } from "../../src/base";
import { resolved } from "../support/described";

export type Schema = Readonly<Record<string, unknown>>;

/** A place inside a body: names of fields, 0 for the first entry of a list. */
export type Path = readonly (string | number)[];

export interface Place {
  path: Path;
  schema: Schema;
  required: boolean;
}

const DEEPEST = 8;

/** The alternatives of a schema, without references: itself, when it has none. */
export function variantsOf(given: unknown): Schema[] {
  const schema = resolved(given) ?? {};
  const variants = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(variants) ? variants.flatMap(variantsOf) : [schema];
}

/** Every field in a body of this schema, at any depth. */
export function placesOf(given: unknown, path: Path = []): Place[] {
  if (path.length > DEEPEST) return [];
  const variants = variantsOf(given);
  // What is wrong for the entries of one kind of list may be right for another.
  const lists = variants.map(({ items }) => items).filter((items) => items !== undefined);
  const entries = lists.length > 1 ? { anyOf: lists } : lists[0];
  const inside = variants.flatMap((schema) => {
    const { properties, required, additionalProperties } = schema;
    const fields = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const here = [...path, name];
      const isRequired = Array.isArray(required) && required.includes(name);
      return [
        { path: here, schema: resolved(property) ?? {}, required: isRequired },
        ...placesOf(property, here),
      ];
    });
    return [
      ...fields,
      ...(isObject(additionalProperties) ? placeOf(additionalProperties, [...path, "key"]) : []),
    ];
  });
  return [...inside, ...(entries === undefined ? [] : placeOf(entries, [...path, 0]))];
}

function placeOf(given: unknown, path: Path): Place[] {
  return [{ path, schema: resolved(given) ?? {}, required: false }, ...placesOf(given, path)];
}

/** The least that the schema takes. */
export function least(given: unknown): unknown {
  const [schema = {}] = variantsOf(given);
  const { type, enum: values, const: only, properties, required, minItems, items, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  if (type === "string") return textOf(schema);
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return false;
  if (type === "null") return null;
  if (type === "array") return Array.from({ length: Number(minItems ?? 0) }, () => least(items));
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, least(isObject(properties) ? properties[name] : {})]));
}

function textOf({ format, pattern, minLength }: Schema): string {
  if (format === "date-time") return "2026-01-31T09:30:00Z";
  if (String(pattern).startsWith("^https?://")) return "https://ci.example.com";
  return "a".repeat(Math.max(1, Number(minLength ?? 1)));
}

/** Values that are of none of the schema's types; none when it takes everything. */
export function wrongValues(given: unknown): unknown[] {
  const variants = variantsOf(given);
  const types = variants.flatMap(({ type, enum: values, const: only }) =>
    type === undefined ? [typeof (Array.isArray(values) ? values[0] : only)] : type,
  );
  if (types.includes("undefined")) return [];
  const enumerated = variants.every(
    (schema) => Array.isArray(schema["enum"]) || schema["const"] !== undefined,
  );
  const wrong = [17, "no such value", true, [[]], { "no such field": 1 }].filter(
    (value) => !types.includes(typeOf(value)) && !(typeOf(value) === "integer" && types.includes("number")),
  );
  return [...wrong.slice(0, 2), ...(enumerated ? ["no such value"] : [])];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : typeof value;
}

/** A copy of `body` with `value` at `path`; what is missing on the way is the least of its schema. */
export function withValue(body: unknown, schema: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = innerOf(schema, step);
  const outer = body ?? least(schema);
  if (typeof step === "number") {
    const list = Array.isArray(outer) ? [...outer] : [];
    list[step] = withValue(list[step], inner, rest, value);
    return list;
  }
  const object: { [name: string]: unknown } = isObject(outer) ? { ...outer } : {};
  object[step] = withValue(object[step], inner, rest, value);
  return object;
}

/** A copy of `body` without the field at `path`. */
export function withoutField(body: unknown, schema: unknown, path: Path): unknown {
  return JSON.parse(JSON.stringify(withValue(body, schema, path, undefined)));
}

function innerOf(schema: unknown, step: string | number): unknown {
  for (const { properties, items, additionalProperties } of variantsOf(schema)) {
    if (typeof step === "number" && items !== undefined) return items;
    if (typeof step === "string" && isObject(properties) && step in properties) return properties[step];
    if (typeof step === "string" && properties === undefined && isObject(additionalProperties))
      return additionalProperties;
  }
  return {};
}
