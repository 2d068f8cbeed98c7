// Names in the list of a gateway that no tool of this version has. They are stored, because a document or a record may come
// from a later version, and they have no effect. What is mistyped looks the same, so it is said wherever the list is shown.
import { nearest } from "../base";
import type { ToolFilter, UnknownTool } from "./schema";

/** More are not explained. */
const MAX_EXPLAINED = 50;

/** The names that no tool has, with their places in the list. `names`: those of all tools, `Toolkit.DoThis`. */
export function unknownIn(
  names: readonly string[],
  { allowed_tools = [] }: ToolFilter = {},
): (UnknownTool & { index: number })[] {
  if (allowed_tools.length === 0) return [];
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return allowed_tools
    .flatMap((name, index) => (folded.has(name.toLowerCase()) ? [] : [{ name, index }]))
    .slice(0, MAX_EXPLAINED)
    .map(({ name, index }) => ({ name, index, message: explained(name, names) }));
}

function explained(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  return `is not a tool of this project and has no effect${meant}`;
}
