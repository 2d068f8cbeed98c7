// Schemas from outside: bounded, self-contained, and safe to compile and to check with.
import { Compile } from "typebox/schema";
import { isObject, type JsonObject } from "../base";
import { cleaned } from "./cleaned";
import { guarded } from "./guard";
import type { Node } from "./references";
import { objectRoot } from "./root";
import { boundedCopy } from "./size";
import { Steps } from "./steps";

export type CheckedSchema = { schema: JsonObject; dropped: string[] } | { reason: string };

/** Smaller ones cannot be nested so deeply that compiling fails. */
const CERTAIN_TO_COMPILE = 16 * 1024;
const LEVELS = 500;

/**
 * A copy of a schema (JSON Schema draft 4 to 2020-12, or OpenAPI 3.0) that can be compiled and checked in bounded time, and
 * what was left out of it: the worker itself checks that. It takes whatever the given schema takes, and perhaps more.
 * References lead to places inside of the copy.
 *
 * @param root "object": only a schema of an object has a use, such as that of an input. "any": every schema.
 */
export function checkForeignSchema(given: unknown, root: "object" | "any" = "object"): CheckedSchema {
  const bounded = boundedCopy(given);
  if ("reason" in bounded) return bounded;
  const { copy } = bounded;
  if (!isObject(copy)) return { reason: "The schema is not a JSON object." };
  const { result, dropped } = cleaned(copy);
  const rooted = root === "object" ? objectRoot(result) : { schema: result };
  if ("reason" in rooted) return rooted;
  if (!deeper(LEVELS, () => compiles(rooted.schema))) return { reason: "The schema is too complex." };
  // Made from JSON, of parts of it.
  return { schema: rooted.schema as JsonObject, dropped };
}

function compiles(schema: Node): boolean {
  if (JSON.stringify(schema).length < CERTAIN_TO_COMPILE) return true;
  try {
    Compile(schema);
    Compile(guarded(schema, new Steps()));
    return true;
  } catch {
    return false;
  }
}

/** Calls from below as many others as may be running when the schema is first used. */
function deeper<T>(levels: number, work: () => T): T {
  return levels === 0 ? work() : deeper(levels - 1, work);
}
