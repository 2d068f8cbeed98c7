// What a gateway offers besides tools: prompts and resources of MCP servers.
import type { JsonObject } from "../../base";
import type { Gateway } from "../../gateways";
import type { Registry, Tool } from "../../tools";
import { accepted } from "./members";
import { Uris } from "./uris";

/** An item of a list. */
export interface Listed {
  /** The reserved tool that serves it. */
  tool: Tool;
  /** The name or address that clients see. */
  shown: string;
  /** As JSON. */
  text: string;
}

/** A prompt, with its name at its server. */
export interface ListedPrompt extends Listed {
  upstream: string;
}

export interface UpstreamLists {
  prompts: readonly Listed[];
  resources: readonly Listed[];
  resourceTemplates: readonly Listed[];
}

export interface UpstreamOffer {
  lists: UpstreamLists;
  /** The reserved tools of everything in the lists. */
  serving: readonly Tool[];
  promptsByName: ReadonlyMap<string, ListedPrompt>;
  uris: Uris;
  /** The tools that complete arguments, by toolkit. */
  completers: ReadonlyMap<Tool["catalog"], Tool>;
  /** What clients are told that the gateway has. */
  has: { prompts: boolean; resources: boolean; completions: boolean };
}

/** Of the reserved tools that the gateway allows. */
export function upstreamOffer({ tools }: Registry, { allowedTools }: Gateway): UpstreamOffer {
  const reserved = tools.filter(
    ({ catalog, definition, qualifiedName }) =>
      // Definitions are made when they are first looked at.
      catalog.worker?.type === "mcp" &&
      definition.reserved !== undefined &&
      (allowedTools === undefined || allowedTools.has(qualifiedName.toLowerCase())),
  );
  const of = (kind: string): Tool[] => reserved.filter(({ definition }) => definition.reserved === kind);
  const readers = of("resource");
  const uris = new Uris(readers);
  const prompts = promptsOf(of("prompt"));
  const completers = of("completion").filter(({ catalog }) => catalog.worker?.completes === true);
  return {
    lists: {
      prompts,
      resources: readers.flatMap((reader) => resourcesOf(reader, uris)),
      resourceTemplates: readers.flatMap((reader) => templatesOf(reader, uris)),
    },
    serving: [...of("prompt"), ...readers],
    promptsByName: new Map(prompts.map((prompt) => [prompt.shown, prompt])),
    uris,
    completers: new Map(completers.map((tool) => [tool.catalog, tool])),
    has: {
      prompts: of("prompt").length > 0,
      resources: readers.length > 0,
      completions: completers.length > 0,
    },
  };
}

function promptsOf(tools: readonly Tool[]): ListedPrompt[] {
  const byName = new Map<string, ListedPrompt>();
  for (const tool of tools) {
    for (const prompt of tool.catalog.worker?.prompts ?? []) {
      const { name: upstream } = prompt;
      if (typeof upstream !== "string") continue;
      const shown = freeName(nameAt(tool, upstream), byName);
      const text = JSON.stringify({ ...accepted("prompt", prompt), name: shown });
      byName.set(shown, { tool, shown, upstream, text });
    }
  }
  return [...byName.values()];
}

/** As names of tools are made. */
function nameAt({ catalog }: Tool, name: string): string {
  return `${catalog.toolkit.name}_${name}`;
}

/** The toolkits `A` and `A_B` may have prompts whose names become the same. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}

function resourcesOf(reader: Tool, uris: Uris): Listed[] {
  return (reader.catalog.worker?.resources ?? []).flatMap((resource) => {
    const { uri } = resource;
    if (typeof uri !== "string") return [];
    const { shown } = uris.addResource(reader, uri);
    return [{ tool: reader, shown, text: JSON.stringify(named(reader, resource, { uri: shown })) }];
  });
}

function templatesOf(reader: Tool, uris: Uris): Listed[] {
  return (reader.catalog.worker?.resourceTemplates ?? []).flatMap((template) => {
    const { uriTemplate } = template;
    if (typeof uriTemplate !== "string") return [];
    const { shown } = uris.addTemplate(reader, uriTemplate);
    return [{ tool: reader, shown, text: JSON.stringify(named(reader, template, { uriTemplate: shown })) }];
  });
}

function named(reader: Tool, item: JsonObject, address: JsonObject): JsonObject {
  const { name } = item;
  // Clients need a name.
  const given = typeof name === "string" ? name : String(item["uri"] ?? item["uriTemplate"]);
  return { ...accepted("resource", item), name: nameAt(reader, given), ...address };
}
