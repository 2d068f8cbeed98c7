// When two requests under one `Idempotency-Key` are the same, although they may be written differently. Neither form depends
// on what the catalog contains now: the answer to a repeat may not be lost because a tool was updated or removed meanwhile.
import { canonicalJson } from "../base";
import { RuntimeError } from "../errors";
import { judgeBySchema, type Input } from "./input";
import type { Tool } from "./registry";
import type { ExecuteTool } from "./schema";
import { ToolError } from "./tool-error";

/** A request as its caller sent it. The spelling of the tool's name does not count, and neither does the order of fields. */
export function sentRequest(request: ExecuteTool): string {
  const { tool_name, tool_version, input = {}, run_at, include_error_stacktrace } = request;
  const [name = "", ...version] = tool_name.split("@");
  // Callers write `Toolkit.DoThis` and `Toolkit_DoThis`. Names with `_` may be split in several ways.
  const spelled = name.toLowerCase().replaceAll(".", "_");
  return canonicalJson([
    spelled,
    tool_version ?? version.join("@"),
    input,
    run_at ?? null,
    include_error_stacktrace === true,
  ]);
}

/**
 * A call of a model, which may word a repeat differently: any version of the tool, and the input as the tool receives it. A
 * parameter that has its default counts as absent.
 */
export function meantCall({ qualifiedName, definition }: Tool, given: Input): string {
  const judged = judgeBySchema(definition, given);
  // An invalid input is never run.
  const input = judged instanceof ToolError ? given : withoutDefaults(definition.input.properties, judged);
  return canonicalJson([qualifiedName, input]);
}

function withoutDefaults(properties: { readonly [name: string]: object }, input: Input): Input {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined || !("default" in schema)) return true;
      return canonicalJson(schema.default) !== canonicalJson(value);
    }),
  );
}

/** Rejects with anything that is not a refusal. */
export function refusalOf(error: unknown): RuntimeError {
  if (error instanceof RuntimeError) return error;
  throw error;
}
