// Prepares a schema for compiling, so that no input makes the check run long: each part first spends the steps that it takes.
import { isObject } from "../base";
import { formOf } from "./keywords";
import { referred } from "./pointer";
import type { Node } from "./references";
import { SpendingPattern } from "./spending-pattern";
import { costFunction, type Steps } from "./steps";

/** What restricts no value. `format` is only a hint for most servers, and they disagree about what it means. */
const ANNOTATIONS: readonly unknown[] = [undefined, "text", "label", "flag", "list", "place", "reference"];
const WITHOUT = ["$defs", "definitions", "contentSchema"];

/** A copy for the compiler. It is not shown to anybody. */
export function guarded(root: Node, steps: Steps): Node {
  const names = new Map<Node, string>();
  const definitions: Node = {};
  const waiting: Node[] = [];

  function nameOf(target: Node): string {
    const known = names.get(target);
    if (known !== undefined) return known;
    const name = `schema${names.size}`;
    names.set(target, name);
    waiting.push(target);
    return name;
  }

  function copy(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const kept = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (WITHOUT.includes(keyword) || (ANNOTATIONS.includes(formOf(keyword)) && keyword !== "const"))
        return [];
      return [[keyword, valueOf(keyword, value)]];
    });
    const rest: Node = Object.fromEntries(kept);
    const target = referred(root, schema["$ref"]);
    if (isObject(target)) rest["$ref"] = `#/$defs/${nameOf(target)}`;
    return isTrivial(schema) ? rest : { allOf: [spending(schema, steps), rest] };
  }

  function valueOf(keyword: string, value: unknown): unknown {
    switch (formOf(keyword)) {
      case "schema":
        return copy(value);
      case "schemas":
        return Array.isArray(value) ? value.map(copy) : value;
      case "map":
      case "dependencies":
        return Object.fromEntries(
          Object.entries(Object(value)).map(([name, each]) => [
            name,
            Array.isArray(each) ? each : copy(each),
          ]),
        );
      case "pattern":
        return typeof value === "string" ? new SpendingPattern(value, steps) : value;
      default:
        return value;
    }
  }

  nameOf(root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    definitions[names.get(next) ?? ""] = copy(next);
  }
  // Without `$schema`, the compiler searches the whole document for each reference.
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $ref: "#/$defs/schema0",
    $defs: definitions,
  };
}

function isTrivial(schema: Node): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    const form = formOf(keyword);
    return (
      (ANNOTATIONS.includes(form) && form !== "reference") ||
      form === "type" ||
      form === "number" ||
      (form === "enum" && Array.isArray(value) && value.length < 50)
    );
  });
}

function spending(schema: Node, steps: Steps): Node {
  const spend = costFunction(schema);
  const check = (value: unknown): boolean => {
    spend(value, steps);
    return true;
  };
  return { "~refine": [{ check, error: () => "" }] };
}
