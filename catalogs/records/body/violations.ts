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

/** One phrase per violation, starting with its path (RFC 6901); empty if the value matches. */
export function violationsOf(schema: TSchema, value: unknown, path = ""): string[] {
  // Each level separately: the schemas of members and items are removed and applied one by one.
  const { properties, items, ...own }: { [keyword: string]: unknown } = { ...schema };
  const [, violations] = Errors(own, value);
  const found = violations.flatMap((violation) => phrases(violation, path));
  if (isObject(value) && isObject(properties)) {
    for (const [name, inner] of Object.entries(properties)) {
      if (Object.hasOwn(value, name) && Type.IsSchema(inner)) {
        found.push(...violationsOf(inner, value[name], `${path}/${name}`));
      }
    }
  }
  if (Array.isArray(value) && Type.IsSchema(items)) {
    for (const [index, item] of value.entries()) found.push(...violationsOf(items, item, `${path}/${index}`));
  }
  return found;
}

function phrases({ keyword, schemaPath, message, params }: Violation, path: string): string[] {
  if ("requiredProperties" in params && Array.isArray(params.requiredProperties)) {
    return params.requiredProperties.map((name) => `${path}/${String(name)} is required`);
  }
  const place = path === "" ? "the value" : path;
  const because = /\/dependentSchemas\/(\w+)$/.exec(schemaPath)?.[1];
  if (because !== undefined) return [`${place} must not contain other fields together with ${because}`];
  return [`${place} ${keyword === "pattern" ? "must not be blank" : message}`];
}
