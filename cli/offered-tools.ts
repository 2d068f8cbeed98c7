// The tools that a conversation offers its model.
import type { ToolRecord } from "../src/tools";
import type { Client } from "./client/client";
import { getTool, listTools } from "./client/tools";
import { UsageError } from "./errors";

export interface Offered {
  names: readonly string[];
  /** By the name under which the model knows it. */
  find(name: string): ToolRecord | undefined;
}

/** The most that a request may offer. */
const MOST = 64;

export async function offeredTools(
  client: Client,
  wanted: { tools: readonly string[]; toolkits: readonly string[]; offersNone: boolean },
): Promise<Offered> {
  const tools = wanted.offersNone ? [] : await toolsOf(client, wanted);
  if (tools.length > MOST) {
    throw new UsageError(
      `${tools.length} tools are more than a model is offered (${MOST}). Choose: --toolkit, --tool or --no-tools.`,
    );
  }
  return {
    names: tools.map(({ qualified_name: name }) => name),
    find: (name) => tools.find((tool) => folded(tool.qualified_name) === folded(name)),
  };
}

async function toolsOf(
  client: Client,
  { tools, toolkits }: { tools: readonly string[]; toolkits: readonly string[] },
): Promise<ToolRecord[]> {
  const named = await Promise.all(tools.map((name) => getTool(client, name, {})));
  const groups = toolkits.length === 0 && tools.length === 0 ? [undefined] : toolkits;
  const listed = await Promise.all(groups.map((toolkit) => all(client, toolkit)));
  const found = [...named, ...listed.flat().filter((tool) => tool.deprecation_message === undefined)];
  return [...new Map(found.map((tool) => [tool.qualified_name, tool])).values()];
}

async function all(client: Client, toolkit: string | undefined): Promise<ToolRecord[]> {
  const found: ToolRecord[] = [];
  for (;;) {
    const filter = { limit: 100, offset: found.length, ...(toolkit === undefined ? {} : { toolkit }) };
    const { items, total_count: total } = await listTools(client, filter);
    found.push(...items);
    if (items.length === 0 || found.length >= total) break;
  }
  if (toolkit === undefined || found.length > 0) return found;
  throw new UsageError(`--toolkit: there is no toolkit of this name. See: runtime tools list`);
}

// Models cannot use dots.
function folded(name: string): string {
  return name.replaceAll(".", "_").toLowerCase();
}
