// The tools of a gateway: selection, order, names and listing.
import type { Log } from "../base";
import { hashOf } from "../crypto";
import type { Gateway } from "../gateways";
import { formatted, type Registry, type Tool, type Tools } from "../tools";
import { INVALID_PARAMS, RpcError } from "./json-rpc";

/** The tools of a gateway, for any user. */
export interface Offer {
  /** Sorted by name, deprecated tools last. */
  tools: readonly Tool[];
  byName: ReadonlyMap<string, Tool>;
  /** Pages of the whole list by cursor, as JSON without the outer braces. */
  pages: Map<string, string>;
  /** Of all its tools, made when it is first asked for. */
  fingerprint?: string;
}

const PAGE = 100;

export class Offers {
  readonly #tools: Tools;
  readonly #log: Log;
  // A change of a gateway creates a new record object, a change of a worker a new registry.
  readonly #byGateway = new WeakMap<Gateway, { registry: Registry; offer: Offer }>();
  readonly #texts = new WeakMap<Tool, { text: string | undefined }>();
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
      .filter((tool) => this.#text(tool) !== undefined)
      .toSorted((left, right) => Number(isDeprecated(left)) - Number(isDeprecated(right)));
    const offer: Offer = {
      tools,
      byName: new Map(tools.map((tool) => [tool.modelName, tool])),
      pages: new Map<string, string>(),
    };
    this.#byGateway.set(gateway, { registry, offer });
    return offer;
  }

  /**
   * A page of the user's visible tools: `"tools":[…]`, and `"nextCursor"` if there are more. `listed` gets the fingerprint of
   * the whole list. Throws `RpcError`.
   */
  async page(
    { gateway, userId }: { gateway: Gateway; userId: string },
    cursor: string | undefined,
    listed?: (fingerprint: string) => void,
  ): Promise<string> {
    const offer = await this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.tools);
    listed?.(this.#fingerprintIn(offer, seen));
    if (seen !== offer.tools) return this.#page(seen, cursor);
    // An empty cursor is one that we never gave out, not the start of the list.
    const key = cursor === undefined ? "" : `after ${cursor}`;
    const known = offer.pages.get(key);
    if (known !== undefined) return known;
    const page = this.#page(seen, cursor);
    offer.pages.set(key, page);
    return page;
  }

  /** Of the gateway's tools and the access rules of its project (see `List`). */
  async basis(gateway: Gateway): Promise<string> {
    const offer = await this.of(gateway);
    return `${this.#fingerprintIn(offer, offer.tools)} ${await this.#tools.accessRulesOf(gateway.projectId)}`;
  }

  /** Of the tools that the user sees, with their definitions. */
  async fingerprint({ gateway, userId }: { gateway: Gateway; userId: string }): Promise<string> {
    const offer = await this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.tools);
    return this.#fingerprintIn(offer, seen);
  }

  /** Whether headers must repeat parameters of the tool (`x-mcp-header`). */
  mirrors(tool: Tool): boolean {
    return this.#text(tool)?.includes('"x-mcp-header"') === true;
  }

  #page(tools: readonly Tool[], cursor: string | undefined): string {
    const start = cursor === undefined ? 0 : positionAfter(tools, cursor);
    const shown = tools.slice(start, start + PAGE);
    const last = shown.at(-1);
    const more = last !== undefined && start + PAGE < tools.length;
    const items = shown.map((tool) => this.#text(tool)).join(",");
    return `"tools":[${items}]${more ? `,"nextCursor":${JSON.stringify(cursorOf(last))}` : ""}`;
  }

  #fingerprintIn(offer: Offer, seen: readonly Tool[]): string {
    const made = (): string => hashOf(seen.map((tool) => this.#hash(tool)).join(" "));
    return seen === offer.tools ? (offer.fingerprint ??= made()) : made();
  }

  #hash(tool: Tool): string {
    const hash = this.#hashes.get(tool) ?? hashOf(this.#text(tool) ?? "");
    this.#hashes.set(tool, hash);
    return hash;
  }

  /** Undefined for a tool that cannot be listed; the others still are. */
  #text(tool: Tool): string | undefined {
    const known = this.#texts.get(tool) ?? { text: this.#made(tool) };
    this.#texts.set(tool, known);
    return known.text;
  }

  #made(tool: Tool): string | undefined {
    try {
      return JSON.stringify(listed(tool));
    } catch (error) {
      this.#log.warn("a tool cannot be listed", { tool: tool.qualifiedName, error });
      return undefined;
    }
  }
}

function isDeprecated({ definition }: Tool): boolean {
  return definition.replacement !== undefined;
}

function listed(tool: Tool): object {
  const shown = formatted(tool, "mcp");
  const { replacement, description } = tool.definition;
  return {
    ...shown,
    ...(replacement === undefined
      ? {}
      : { description: `Deprecated: use ${replacement} instead. ${description}` }),
  };
}

// The cursor contains the name of the last listed tool, so it stays valid when the list changes.
function cursorOf({ modelName }: Tool): string {
  return Buffer.from(modelName).toString("base64url");
}

function positionAfter(tools: readonly Tool[], cursor: string): number {
  const index = tools.findIndex((tool) => cursorOf(tool) === cursor);
  if (index >= 0) return index + 1;
  throw new RpcError(
    INVALID_PARAMS,
    "The cursor does not belong to this list. Request the list from its start.",
  );
}
