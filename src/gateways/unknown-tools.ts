// Names in the list of a gateway that no tool of this version has. They are stored, because a document or a record may come
// from a later version, and they have no effect. What is mistyped looks the same, so it is said wherever the list is shown.
import { nearest } from "../base";
import type { ToolFilter, UnknownTool } from "./schema";

/** More are not explained. */
const MAX_EXPLAINED = 50;

/** A name that no tool has. `place`: the path of the name in the filter. */
export interface PlacedUnknownTool extends UnknownTool {
  place: string;
}

/** The names that no tool has. `names`: those of all tools, `Toolkit.DoThis`. Pinned ones count while clients search. */
export function unknownIn(
  names: readonly string[],
  { allowed_tools: allowed = [], discovery = {} }: ToolFilter = {},
): PlacedUnknownTool[] {
  const pinned = discovery.enabled === true ? (discovery.pinned_asset_keys ?? []) : [];
  const given = [
    ...allowed.map((name, index) => ({ name, place: `allowed_tools.${index}` })),
    ...pinned.map((name, index) => ({ name, place: `discovery.pinned_asset_keys.${index}` })),
  ];
  if (given.length === 0) return [];
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return given
    .filter(({ name }) => !folded.has(name.toLowerCase()))
    .slice(0, MAX_EXPLAINED)
    .map(({ name, place }) => ({ name, place, message: explained(name, names) }));
}

function explained(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  return `is not a tool of this project and has no effect${meant}`;
}
