// The fields of a component of the API description, by path: `oauth2.client_id`, `results[].action`, `items{}.met`
// (`[]`: of each entry of a list, `{}`: of each value of a map).
import { isObject } from "../../src/base";
import { resolved } from "../support/described";

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaField {
  schema: Schema;
  required: boolean;
  /** Any value: a schema without rules, or an object without declared fields. */
  open: boolean;
  /** The allowed texts, if they are listed. */
  values: string[] | undefined;
  /** Maximum length of text or number of entries. */
  max: number | undefined;
}

const DEEPEST = 12;

export function fieldsOf(component: unknown): ReadonlyMap<string, SchemaField> {
  const fields = new Map<string, SchemaField>();
  collect(fields, "", component, DEEPEST);
  return fields;
}

/** Whether a schema is of a type of the tables: `string`, `ts`, `string[]`, `map<any>`, `string|null`, `any`, … */
export function matches(type: string, given: unknown): boolean {
  const schema = shapeOf(given);
  const list = /^(.+)\[\]$/.exec(type)?.[1];
  if (list !== undefined) return schema["type"] === "array" && matches(list, schema["items"]);
  const value = /^map<(.+)>$/.exec(type)?.[1];
  if (value !== undefined)
    return schema["type"] === "object" && (value === "any" || matches(value, schema["additionalProperties"]));
  if (type === "any") return true;
  if (type === "ts") return schema["type"] === "string" && schema["format"] === "date-time";
  if (type === "object") return isObject(schema["properties"]);
  return typesOf(schema).toSorted().join("|") === type.split("|").toSorted().join("|");
}

function collect(fields: Map<string, SchemaField>, at: string, given: unknown, depth: number): void {
  if (depth === 0) return;
  for (const schema of variantsOf(given)) {
    const { properties, required, items, additionalProperties } = schema;
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const path = at === "" ? name : `${at}.${name}`;
      fields.set(path, fieldOf(property, Array.isArray(required) && required.includes(name)));
      collect(fields, path, property, depth - 1);
    }
    if (items !== undefined) collect(fields, `${at}[]`, items, depth - 1);
    if (isObject(additionalProperties)) collect(fields, `${at}{}`, additionalProperties, depth - 1);
  }
}

function fieldOf(given: unknown, required: boolean): SchemaField {
  const schema = shapeOf(given);
  const max = schema["maxLength"] ?? schema["maxItems"];
  return {
    schema,
    required,
    open: isOpen(schema),
    values: valuesOf(schema),
    max: typeof max === "number" ? max : undefined,
  };
}

function isOpen(given: unknown): boolean {
  return variantsOf(given).some((schema) => {
    if (schema["type"] === "object")
      return (
        schema["properties"] === undefined &&
        (schema["additionalProperties"] === undefined || isOpen(schema["additionalProperties"]))
      );
    if (schema["type"] === "array") return schema["items"] === undefined || isOpen(schema["items"]);
    return schema["type"] === undefined && schema["enum"] === undefined && schema["const"] === undefined;
  });
}

function valuesOf(schema: Schema): string[] | undefined {
  const values = variantsOf(schema).flatMap((one) => one["enum"] ?? one["const"] ?? [undefined]);
  return values.every((value) => typeof value === "string") ? values : undefined;
}

function typesOf(schema: Schema): string[] {
  return [
    ...new Set(
      variantsOf(schema).flatMap(({ type }) => (Array.isArray(type) ? type.map(String) : [String(type)])),
    ),
  ];
}

/** A schema without its references. */
function shapeOf(given: unknown): Schema {
  return resolved(given) ?? {};
}

/** The alternatives of a schema: itself, when it has none. */
function variantsOf(given: unknown): Schema[] {
  const schema = shapeOf(given);
  const variants = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(variants) ? variants.flatMap(variantsOf) : [schema];
}
