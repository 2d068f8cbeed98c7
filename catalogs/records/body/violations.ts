// All violations of a schema. The validator stops after a few, but a model can correct all of them at once.
import { type TSchema, Type } from "typebox";
import { Errors } from "typebox/schema";
import { isObject } from "../../../src/tools";

interface Violation {
  keyword: string;
  schemaPath: string;
  message: string;
  params: object;
}

/** One phrase per violation, starting with its path such as `request_body.data.0`; empty if the value matches. */
export function violationsOf(schema: TSchema, value: unknown, path: string): string[] {
  // Each level separately: the schemas of members and items are removed and applied one by one.
  const { properties, items, ...own }: { [keyword: string]: unknown } = { ...schema };
  const [, violations] = Errors(own, value);
  const found = violations.flatMap((violation) => phrases(violation, schema, path));
  if (isObject(value) && isObject(properties)) {
    for (const [name, inner] of Object.entries(properties)) {
      if (Object.hasOwn(value, name) && Type.IsSchema(inner)) {
        found.push(...violationsOf(inner, value[name], `${path}.${name}`));
      }
    }
  }
  if (Array.isArray(value) && Type.IsSchema(items)) {
    for (const [index, item] of value.entries()) found.push(...violationsOf(items, item, `${path}.${index}`));
  }
  return found;
}

function phrases(
  { keyword, schemaPath, message, params }: Violation,
  schema: TSchema,
  path: string,
): string[] {
  if ("requiredProperties" in params && Array.isArray(params.requiredProperties)) {
    const { properties }: { properties?: unknown } = schema;
    const known = isObject(properties) ? properties : {};
    return params.requiredProperties.map(
      (name) => `${path}.${String(name)} is required${exampleOf(known[String(name)])}`,
    );
  }
  const because = /\/dependentSchemas\/(\w+)$/.exec(schemaPath)?.[1];
  if (because !== undefined) {
    return [`${path}.${because} must be the only field: leave out \`${path}.${because}\` or all others`];
  }
  return [`${path} ${keyword === "pattern" ? "must not be blank" : message}${exampleOf(schema)}`];
}

/** The first example of a schema, if it has any. */
export function exampleOf(schema: unknown): string {
  const [example]: unknown[] =
    isObject(schema) && Array.isArray(schema["examples"]) ? schema["examples"] : [];
  return example === undefined ? "" : ` (for example: ${JSON.stringify(example)})`;
}
