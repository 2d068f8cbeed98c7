// A deprecated tool does what the tool that replaces it does, so the rules for that tool hold for it too.
import { convertInput, type Input } from "./input";
import type { Tool } from "./registry";

/** The tool, and those that replace it, one after the other: the rules for each of them hold for the tool. */
export function ruledBy(tool: Tool): readonly Tool[] {
  const all: Tool[] = [];
  for (let next: Tool | undefined = tool; next !== undefined && !all.includes(next); next = next.replacedBy)
    all.push(next);
  return all;
}

/** The tools, and those that replace them, each once. */
export function withReplacements(tools: readonly Tool[]): readonly Tool[] {
  return tools.some(({ replacedBy }) => replacedBy !== undefined)
    ? [...new Set(tools.flatMap(ruledBy))]
    : tools;
}

/**
 * The input with which the replacement `as` does the same as the tool. Throws a `ToolError` for an input that is not
 * valid.
 */
export function inputAs(tool: Tool, as: Tool, input: Input): Input {
  let converted = input;
  for (const one of ruledBy(tool)) {
    if (one === as) break;
    const { asReplacement } = one.definition;
    // The input may come from a hook. The definition only reads what has passed its schema.
    if (asReplacement !== undefined)
      converted = { ...asReplacement(convertInput(one.definition, converted) as never) };
  }
  return converted;
}
