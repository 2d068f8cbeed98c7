// Whether the types that listings describe are those that inputs are checked against.
import { isObject } from "../base";
import type { Tool } from "./registry";

/**
 * Listings describe a parameter with a closed list as text. Throws for a list with other values: callers would be told to
 * send text, and it would be refused.
 */
export function requireDescribable({ definition: { input }, qualifiedName }: Tool): void {
  for (const [name, schema] of Object.entries(input.properties)) {
    for (const part of [schema, isObject(schema) ? schema["items"] : undefined]) {
      const values = isObject(part) ? part["enum"] : undefined;
      if (Array.isArray(values) && values.some((value) => typeof value !== "string")) {
        throw new Error(`${qualifiedName}: ${name} has a list of values that are not text. Use texts.`);
      }
    }
  }
}
