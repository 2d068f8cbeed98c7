// The tools of a gateway: selection, order, names and listing.
import type { Log } from "../base";
import { hashOf } from "../crypto";
import type { Gateway } from "../gateways";
import { formatted, type Tool, type Tools } from "../tools";
import { INVALID_PARAMS, RpcError } from "./json-rpc";

/** The tools of a gateway, for any user. */
export interface Offer {
  /** Sorted by name, deprecated tools last. */
  tools: readonly Tool[];
  byName: ReadonlyMap<string, Tool>;
  /** Pages of the whole list by cursor, as JSON without the outer braces. */
  pages: Map<string, string>;
  /** Of all its tools. */
  fingerprint: string;
}

/** A tool as clients see it, as JSON. */
interface Listed {
  text: string;
  hash: string;
}

const PAGE = 100;

export class Offers {
  readonly #tools: Tools;
  readonly #log: Log;
  // A change of a gateway creates a new record object.
  readonly #byGateway = new WeakMap<Gateway, Offer>();
  readonly #listed = new WeakMap<Tool, Listed | "unlisted">();

  constructor(tools: Tools, log: Log) {
    this.#tools = tools;
    this.#log = log;
  }

  of(gateway: Gateway): Offer {
    const known = this.#byGateway.get(gateway);
    if (known !== undefined) return known;
    const { allowedTools } = gateway;
    const tools = this.#tools.all
      .filter(
        ({ qualifiedName }) => allowedTools === undefined || allowedTools.has(qualifiedName.toLowerCase()),
      )
      .filter((tool) => this.#text(tool) !== undefined)
      .toSorted((left, right) => Number(isDeprecated(left)) - Number(isDeprecated(right)));
    const offer = {
      tools,
      byName: new Map(tools.map((tool) => [tool.modelName, tool])),
      pages: new Map<string, string>(),
      fingerprint: this.#fingerprintOf(tools),
    };
    this.#byGateway.set(gateway, offer);
    return offer;
  }

  /** A page of the user's visible tools: `"tools":[…]`, and `"nextCursor"` if there are more. Throws `RpcError`. */
  async page(
    { gateway, userId }: { gateway: Gateway; userId: string },
    cursor: string | undefined,
  ): Promise<string> {
    const offer = this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.tools);
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
    return `${this.of(gateway).fingerprint} ${await this.#tools.accessRulesOf(gateway.projectId)}`;
  }

  /** Of the tools that the user sees, with their definitions. */
  async fingerprint({ gateway, userId }: { gateway: Gateway; userId: string }): Promise<string> {
    const offer = this.of(gateway);
    const seen = await this.#tools.visible(gateway.projectId, userId, offer.tools);
    return seen === offer.tools ? offer.fingerprint : this.#fingerprintOf(seen);
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

  #fingerprintOf(tools: readonly Tool[]): string {
    return hashOf(tools.map((tool) => this.#shown(tool)?.hash).join(" "));
  }

  #text(tool: Tool): string | undefined {
    return this.#shown(tool)?.text;
  }

  /** Undefined for a tool that cannot be listed; the others still are. */
  #shown(tool: Tool): Listed | undefined {
    let shown = this.#listed.get(tool);
    if (shown === undefined) {
      const text = this.#made(tool);
      shown = text === undefined ? "unlisted" : { text, hash: hashOf(text) };
      this.#listed.set(tool, shown);
    }
    return shown === "unlisted" ? undefined : shown;
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
