// The tools of a gateway: selection, order, names and listing.
import type { JsonObject, Log } from "../base";
import { hashOf } from "../crypto";
import type { Gateway } from "../gateways";
import { formatted, type Registry, type Tool, type Tools } from "../tools";
import { FINDERS, type Finder, finderText, isFinder, isNamedLikeFinder } from "./finding/finders";
import { pageOf, pageText } from "./list-page";
import { upstreamTool } from "./upstream/listed-tool";

/** The tools of a gateway, for any user. */
export interface Offer {
  /** Sorted by name, deprecated tools last. */
  tools: readonly Tool[];
  /** Those in the list. */
  listed: readonly Tool[];
  /** The tools with which clients find the others; empty if all are listed. */
  finders: readonly Finder[];
  byName: ReadonlyMap<string, Tool>;
  /** Pages of the whole list by cursor, as JSON without the outer braces. */
  pages: Map<string, string>;
  /** Of all listed tools, made when it is first asked for. */
  fingerprint?: string;
}

interface Text {
  text: string | undefined;
}

export class Offers {
  readonly #tools: Tools;
  readonly #log: Log;
  // A change of a gateway creates a new record object, a change of a worker a new registry.
  readonly #byGateway = new WeakMap<Gateway, { registry: Registry; offer: Offer }>();
  readonly #texts = { legacy: new WeakMap<Tool, Text>(), modern: new WeakMap<Tool, Text>() };
  readonly #hashes = new WeakMap<Tool, string>();

  constructor(tools: Tools, log: Log) {
    this.#tools = tools;
    this.#log = log;
  }

  async of(gateway: Gateway): Promise<Offer> {
    const registry = await this.#tools.registryOf(gateway.projectId);
    const known = this.#byGateway.get(gateway);
    if (known?.registry === registry) return known.offer;
    const { allowedTools } = gateway;
    const tools = registry.tools
      .filter(({ definition }) => definition.reserved === undefined)
      .filter(
        ({ qualifiedName }) => allowedTools === undefined || allowedTools.has(qualifiedName.toLowerCase()),
      )
      .filter((tool) => this.#text(tool, false) !== undefined)
      .toSorted((left, right) => Number(isDeprecated(left)) - Number(isDeprecated(right)));
    const { pinnedTools: pinned } = gateway;
    const offer: Offer = {
      tools,
      listed: pinned === undefined ? tools : tools.filter((tool) => isPinned(pinned, tool)),
      finders: pinned === undefined ? [] : FINDERS,
      byName: new Map(tools.map((tool) => [tool.modelName, tool])),
      pages: new Map<string, string>(),
    };
    this.#byGateway.set(gateway, { registry, offer });
    return offer;
  }

  /**
   * A page of the user's visible tools, as JSON without the outer braces. `modern`: for revision 2026-07-28. `listed` gets the
   * fingerprint of the whole list. Throws `RpcError`.
   */
  async page(
    { gateway, userId }: { gateway: Gateway; userId: string },
    cursor: string | undefined,
    modern: boolean,
    listed?: (fingerprint: string) => void,
  ): Promise<string> {
    const offer = await this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.listed);
    listed?.(this.#fingerprintIn(offer, seen));
    const items = [...offer.finders, ...seen];
    if (seen !== offer.listed) return this.#page(items, cursor, modern);
    // An empty cursor is one that we never gave out, not the start of the list.
    const key = `${modern ? "modern" : "legacy"}${cursor === undefined ? "" : ` after ${cursor}`}`;
    const known = offer.pages.get(key);
    if (known !== undefined) return known;
    const page = this.#page(items, cursor, modern);
    offer.pages.set(key, page);
    return page;
  }

  /** Of the gateway's tools and the access rules of its project (see `List`). */
  async basis(gateway: Gateway): Promise<string> {
    const offer = await this.of(gateway);
    return `${this.#fingerprintIn(offer, offer.listed)} ${await this.#tools.accessRulesOf(gateway.projectId)}`;
  }

  /** Of the tools that the user sees, with their definitions. */
  async fingerprint({ gateway, userId }: { gateway: Gateway; userId: string }): Promise<string> {
    const offer = await this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.listed);
    return this.#fingerprintIn(offer, seen);
  }

  /** A tool of the gateway as it is listed. */
  shown(tool: Tool, modern: boolean): JsonObject {
    return JSON.parse(this.#text(tool, modern) ?? "{}");
  }

  /** Whether headers must repeat parameters of the tool (`x-mcp-header`). */
  mirrors(tool: Tool): boolean {
    return this.#text(tool, true)?.includes('"x-mcp-header"') === true;
  }

  #page(tools: readonly (Tool | Finder)[], cursor: string | undefined, modern: boolean): string {
    const page = pageOf(tools, ({ modelName }) => modelName, cursor);
    return pageText(
      "tools",
      page.shown.map((tool) => (isFinder(tool) ? finderText(tool) : this.#text(tool, modern))),
      page.cursor,
    );
  }

  #fingerprintIn(offer: Offer, seen: readonly Tool[]): string {
    const finders = offer.finders.map(finderText);
    const made = (): string => hashOf([...finders, ...seen.map((tool) => this.#hash(tool))].join(" "));
    return seen === offer.listed ? (offer.fingerprint ??= made()) : made();
  }

  #hash(tool: Tool): string {
    const hash = this.#hashes.get(tool) ?? hashOf(this.#text(tool, true) ?? "");
    this.#hashes.set(tool, hash);
    return hash;
  }

  /** Undefined for a tool that cannot be listed; the others still are. */
  #text(tool: Tool, modern: boolean): string | undefined {
    // Tools that are compiled in are the same in all revisions.
    const texts = this.#texts[modern && tool.definition.original !== undefined ? "modern" : "legacy"];
    const known = texts.get(tool) ?? { text: this.#made(tool, modern) };
    texts.set(tool, known);
    return known.text;
  }

  #made(tool: Tool, modern: boolean): string | undefined {
    try {
      return JSON.stringify(listed(tool, modern));
    } catch (error) {
      this.#log.warn("a tool cannot be listed", { tool: tool.qualifiedName, error });
      return undefined;
    }
  }
}

function isPinned(pinned: ReadonlySet<string>, tool: Tool): boolean {
  return pinned.has(tool.qualifiedName.toLowerCase()) && !isNamedLikeFinder(tool);
}

function isDeprecated({ definition: { replacement, deprecation } }: Tool): boolean {
  return replacement !== undefined || deprecation !== undefined;
}

function listed(tool: Tool, modern: boolean): object {
  const { definition, modelName } = tool;
  if (definition.original !== undefined) return upstreamTool(modelName, definition, modern);
  const { replacement, deprecation, description } = definition;
  const advice = replacement === undefined ? deprecation : `use ${replacement} instead.`;
  return {
    ...formatted(tool, "mcp"),
    ...(advice === undefined ? {} : { description: `Deprecated: ${advice} ${description}` }),
  };
}
