// Everything in which a value breaks a schema. The validator stops after a few; a model mends all it is told at once.
import { type TSchema, Type } from "typebox";
import { Errors } from "typebox/schema";
import { isObject } from "../../../src/tools";

interface Violation {
  keyword: string;
  schemaPath: string;
  message: string;
  params: object;
}

/** One phrase for each violation, beginning with its path (RFC 6901); empty when the value fits. */
export function violationsOf(schema: TSchema, value: unknown, path = ""): string[] {
  // Each level by itself: the schemas of members and items are taken out and applied one by one.
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
  if (because !== undefined) return [`${place} must hold nothing beside ${because}`];
  return [`${place} ${keyword === "pattern" ? "must not be blank" : message}`];
}
