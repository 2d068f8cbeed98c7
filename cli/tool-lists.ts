// What the lists of tools and toolkits have in common: the filter, and the marks of a tool.
import type { ToolRecord } from "../src/tools";
import type { Client } from "./client/client";
import { listTools, type ToolsFilter } from "./client/tools";
import { everyRecord } from "./pages";
import { unknownName } from "./unknown-name";

export interface ToolsQuery extends Omit<ToolsFilter, "limit" | "offset"> {
  /** Whether deprecated tools are included. */
  deprecated: boolean;
}

export interface Window {
  limit: number | undefined;
  offset?: number | undefined;
}

/** Throws `not_found` for a toolkit that does not exist. */
export async function toolsOf(
  client: Client,
  { deprecated, ...filter }: ToolsQuery,
  { limit, offset = 0 }: Window,
): Promise<ToolRecord[]> {
  const page = (window: { limit: number; offset: number }) => listTools(client, { ...filter, ...window });
  if (deprecated) {
    const found = await everyRecord(page, { limit, offset });
    if (found.length === 0) await checkToolkit(client, filter.toolkit);
    return found;
  }
  // The server does not filter by deprecation, so the window is applied here.
  const all = await everyRecord(page);
  if (all.length === 0) await checkToolkit(client, filter.toolkit);
  const current = all.filter(({ deprecation_message }) => deprecation_message === undefined);
  return current.slice(offset, limit === undefined ? undefined : offset + limit);
}

/** Throws `not_found` with the nearest name, unless there is a toolkit of this name. */
export async function checkToolkit(client: Client, toolkit: string | undefined): Promise<void> {
  if (toolkit === undefined) return;
  const known = (await toolkitsOf(client)).map(({ name }) => name);
  if (!known.some((name) => name.toLowerCase() === toolkit.toLowerCase()))
    throw unknownName("toolkit", toolkit, known, "runtime toolkits list");
}

/** A toolkit, as its tools describe it. */
export interface Toolkit {
  name: string;
  description?: string;
  version?: string;
  tools: number;
  deprecated_tools: number;
}

export async function toolkitsOf(client: Client): Promise<Toolkit[]> {
  const tools = await everyRecord((window) => listTools(client, window));
  const groups = Map.groupBy(tools, ({ toolkit }) => toolkit.name);
  return [...groups].map(([name, members]) => ({
    ...members[0]?.toolkit,
    name,
    tools: members.length,
    deprecated_tools: members.filter(({ deprecation_message }) => deprecation_message !== undefined).length,
  }));
}

export function markOf({ deprecation_message }: ToolRecord): string {
  return deprecation_message === undefined ? "" : "deprecated";
}
