// What a tool that collects could not read: the result says so, and has everything else.
import { Type } from "typebox";
import { type ToolContext, ToolError } from "../../src/tools";

/** The `missing` field of a result. */
export const MISSING = Type.Optional(
  Type.Array(
    Type.Object({
      what: Type.String({ description: "What is missing" }),
      reason: Type.String({ description: "Why, and how to get it" }),
    }),
    { description: "What could not be read. Absent if nothing is missing." },
  ),
);

export interface Missing {
  what: string;
  reason: string;
}

/** The field of a result, if something is missing. Also logs it. */
export function missingField(
  context: Pick<ToolContext, "log">,
  missing: readonly Missing[],
): { missing?: Missing[] } {
  for (const { what, reason } of missing) context.log("warning", `Missing: ${what}. ${reason}`);
  return missing.length === 0 ? {} : { missing: [...missing] };
}

/** Whether the same call may succeed a little later: what was read before it is worth returning. */
export function isPassing(error: unknown): error is ToolError {
  return error instanceof ToolError && error.canRetry;
}
