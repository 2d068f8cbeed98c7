// Schemas in the document: records by reference, and only keywords that client generators support.
import type { TSchema } from "typebox";
import { isObject } from "../../src/base";
import { isExtensionField, MARK } from "./extensions";
import { fieldKeywords } from "./fields";

export type JsonSchema = { [key: string]: unknown };

const SCHEMA = ["items", "additionalProperties", "propertyNames", "not", "contains"];
const SCHEMAS = ["anyOf", "oneOf", "allOf", "prefixItems"];
/**
 * Keywords that the document shows although validation does not check them, because a service refuses such a value with an
 * error that says more.
 */
const SHOWN = "shown";
/** A keyword that only the check of requests reads (`PassesOn`). */
const PASSES_ON = "passesOn";
/** The pattern of a map with any key. */
const ANY_KEY = "^.*$";

export class Components {
  /** The records that were referenced, by name. */
  readonly used = new Map<string, JsonSchema>();
  readonly #names: ReadonlyMap<string, string>;

  constructor(records: Readonly<Record<string, TSchema>>) {
    // By text, because an optional field has a copy of the schema of its record.
    this.#names = new Map(Object.entries(records).map(([name, schema]) => [JSON.stringify(schema), name]));
  }

  /** The name of a record; of a page of a record; undefined for other schemas. */
  nameOf(schema: unknown): string | undefined {
    const name = this.#names.get(JSON.stringify(schema));
    if (name !== undefined) return name;
    const item = itemOfPage(schema);
    const itemName = item === undefined ? undefined : this.nameOf(item);
    return itemName === undefined ? undefined : `OffsetPageOf${itemName}`;
  }

  /** A reference for a schema with a name, otherwise the schema itself. `path`: the names that lead to it. */
  show(schema: unknown, path: readonly string[] = []): unknown {
    const name = this.nameOf(schema);
    if (name === undefined) return isObject(schema) ? this.#shown(schema, path) : schema;
    if (!this.used.has(name) && isObject(schema)) {
      // Set before it is made, because a record may contain itself.
      this.used.set(name, {});
      this.used.set(name, this.#shown(schema, [name]));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #shown(schema: JsonSchema, path: readonly string[]): JsonSchema {
    const shown: JsonSchema = {};
    for (const [key, value] of Object.entries(schema)) {
      if (SCHEMA.includes(key)) shown[key] = this.show(value, path);
      else if (SCHEMAS.includes(key) && Array.isArray(value))
        shown[key] = value.map((one) => this.show(one, path));
      else if (key === "properties" && isObject(value)) shown[key] = this.#fields(value, path);
      else if (key === "patternProperties" && isObject(value)) shown[key] = this.#values(value, path);
      else shown[key] = value;
    }
    const { [SHOWN]: only, [PASSES_ON]: _, ...rest } = shown;
    return withType(withoutPattern(isObject(only) ? { ...rest, ...only } : rest));
  }

  #values(schemas: JsonSchema, path: readonly string[]): JsonSchema {
    return Object.fromEntries(
      Object.entries(schemas).map(([pattern, schema]) => [pattern, this.show(schema, path)]),
    );
  }

  #fields(schemas: JsonSchema, path: readonly string[]): JsonSchema {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => {
        const shown = this.show(schema, [...path, name]);
        if (!isObject(shown)) return [name, shown];
        const field = described(shown, [...path, name]);
        return [name, isExtensionField([...path, name]) ? { ...field, ...MARK } : field];
      }),
    );
  }
}

// A field with its meaning; its own keywords take precedence.
function described(shown: JsonSchema, path: readonly string[]): JsonSchema {
  const { description, ...keywords } = { description: undefined, ...fieldKeywords(path) };
  const isText = shown["type"] === "string" && shown["enum"] === undefined;
  const text = shown["description"] ?? description;
  return {
    ...shown,
    ...(isText ? { ...keywords, ...shown } : {}),
    ...(text === undefined ? {} : { description: text }),
  };
}

function itemOfPage(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined;
  const { items, total_count, page_count } = schema["properties"];
  return isObject(items) && total_count !== undefined && page_count !== undefined
    ? items["items"]
    : undefined;
}

// Adds the type to an enumeration of strings.
function withType(schema: JsonSchema): JsonSchema {
  const { enum: values, type } = schema;
  const texts = Array.isArray(values) && values.every((value) => typeof value === "string");
  return texts && type === undefined ? { type: "string", ...schema } : schema;
}

// Turns a map by pattern into `additionalProperties`, which every generator supports.
function withoutPattern(schema: JsonSchema): JsonSchema {
  const { patternProperties, additionalProperties: _, ...rest } = schema;
  if (!isObject(patternProperties)) return schema;
  const [[pattern, value] = ["", {}], ...more] = Object.entries(patternProperties);
  if (more.length > 0 || rest["properties"] !== undefined) return schema;
  return {
    ...rest,
    ...(pattern === ANY_KEY ? {} : { propertyNames: { pattern } }),
    additionalProperties: value,
  };
}
