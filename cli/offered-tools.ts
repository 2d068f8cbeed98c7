// The tools that a conversation offers to its model.
import type { ToolRecord } from "../src/tools";
import type { Client } from "./client/client";
import { getTool, listTools } from "./client/tools";
import { defined } from "./command";
import { UsageError } from "./errors";
import { everyRecord } from "./pages";
import { checkToolkit } from "./tool-lists";

export interface Offered {
  names: readonly string[];
  /** Finds a tool by the name that the model uses. */
  find(name: string): ToolRecord | undefined;
}

/** The limit of a request. */
const LIMIT = 64;

export async function offeredTools(
  client: Client,
  wanted: { tools: readonly string[]; toolkits: readonly string[]; offersNone: boolean },
): Promise<Offered> {
  const tools = wanted.offersNone ? [] : await toolsOf(client, wanted);
  if (tools.length > LIMIT) {
    throw new UsageError(
      `${tools.length} tools exceed the limit of ${LIMIT}. Select some with --toolkit, --tool or --no-tools.`,
    );
  }
  return {
    names: tools.map(({ qualified_name: name }) => name),
    find: (name) => tools.find((tool) => modelName(tool.qualified_name) === modelName(name)),
  };
}

async function toolsOf(
  client: Client,
  { tools, toolkits }: { tools: readonly string[]; toolkits: readonly string[] },
): Promise<ToolRecord[]> {
  const named = await Promise.all(tools.map((name) => getTool(client, name, {})));
  const selected = toolkits.length === 0 && tools.length === 0 ? [undefined] : toolkits;
  const listed = await Promise.all(selected.map((toolkit) => toolsIn(client, toolkit)));
  const found = [...named, ...listed.flat().filter((tool) => tool.deprecation_message === undefined)];
  return [...new Map(found.map((tool) => [tool.qualified_name, tool])).values()];
}

async function toolsIn(client: Client, toolkit: string | undefined): Promise<ToolRecord[]> {
  const found = await everyRecord((window) => listTools(client, { ...window, ...defined({ toolkit }) }));
  if (found.length === 0) await checkToolkit(client, toolkit);
  return found;
}

// The names of tools for models contain no dots.
function modelName(name: string): string {
  return name.replaceAll(".", "_").toLowerCase();
}
