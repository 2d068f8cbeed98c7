// `--fields` of a tool run: checked before the run against the record, and after it against what the tool returned.
import { isObject, nearest, unknownFields } from "../src/base";
import type { Execution } from "../src/tools";
import { ExecuteToolResponse } from "../src/tools/schema";
import { UsageError } from "./errors";
import { choose, type Field, nested } from "./fields";

/** Throws `usage` for a path that no execution has. What a tool returns in `output.value` is not known before the run. */
export function checkExecutionFields(fields: readonly Field[]): void {
  for (const field of fields) {
    const path = field.split(".");
    const [unknown] = unknownFields(ExecuteToolResponse, nested(path), 1);
    if (unknown !== undefined) throw mistake(field, unknown.name, unknown.known);
    // A path into a text or a number.
    const [first = "", ...rest] = path;
    if (rest.length > 0 && first !== "output") throw mistake(field, first, []);
  }
}

/**
 * The mistake in a path into the value of a successful run, if there is one. The run has been made, so its caller shows
 * everything before it reports the mistake.
 */
export function mistakeInValue(execution: Execution, fields: readonly Field[]): UsageError | undefined {
  if (!execution.success || execution.status === "pending") return undefined;
  for (const field of fields) {
    const path = field.split(".");
    if (!field.startsWith("output.value.") || Object.keys(choose(execution, [field])).length > 0) continue;
    let at: unknown = execution;
    for (const name of path) {
      if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
      else return mistake(field, name, isObject(at) ? Object.keys(at) : [], " The tool was run.");
    }
  }
  return undefined;
}

function mistake(field: Field, name: string, known: readonly string[], note = ""): UsageError {
  const meant = nearest(name, known);
  const hint =
    meant !== undefined
      ? ` Did you mean ${meant}?`
      : known.length === 0
        ? ""
        : ` The fields there are ${known.slice(0, 20).join(", ")}.`;
  return new UsageError(`--fields: there is no field ${field}.${hint}${note}`);
}
