// Answers searches for tools and requests for their definitions, and finds the tool of a call.
import { isObject, type JsonObject, parseJson } from "../../base";
import type { Gateway } from "../../gateways";
import { judgeInput, type Tool, ToolError, toolErrorRecord, type Tools } from "../../tools";
import type { GatewayUser } from "../access";
import type { Offers } from "../offer";
import { errorText, failure, type ResultFields } from "../result";
import type { Finder } from "./finders";

/** A call of one of the three tools: its answer, or the call that it asks for. */
export type Found = { answer: ResultFields } | { tool: Tool; input: JsonObject; name: string };

/** Characters of a description in the results of a search. */
const MOST_DESCRIPTION = 300;
const MOST_PARAMETERS = 20;

export interface FindOptions {
  /** Revision 2026-07-28. */
  modern: boolean;
  maxBytes: number;
}

export class Finding {
  readonly #tools: Tools;
  readonly #offers: Offers;

  constructor(tools: Tools, offers: Offers) {
    this.#tools = tools;
    this.#offers = offers;
  }

  async answer(user: GatewayUser, finder: Finder, given: JsonObject, options: FindOptions): Promise<Found> {
    const input = await judgeInput(finder.definition, withObject(given));
    if (input instanceof ToolError) return { answer: failure(toolErrorRecord(input, finder, false)) };
    const { query, limit, name, arguments: inner } = input;
    if (finder.modelName === "search_tools")
      return { answer: await this.#search(user, String(query), Number(limit), options) };
    if (finder.modelName === "describe_tool")
      return { answer: await this.#describe(user, String(name), options) };
    const tool = await this.#offered(user.gateway, String(name));
    if (tool === undefined) return { answer: unknownTool(String(name)) };
    // Checked by the schema of `call_tool`.
    return { tool, input: (inner ?? {}) as JsonObject, name: String(name) };
  }

  async #search(
    { gateway, userId }: GatewayUser,
    query: string,
    limit: number,
    { modern, maxBytes }: FindOptions,
  ): Promise<ResultFields> {
    const { tools } = await this.#offers.of(gateway);
    const visible = await this.#tools.visible(gateway.projectId, userId, tools);
    const found = await this.#tools.ranked(gateway.projectId, visible, query);
    const shown = found.slice(0, limit).map((tool) => summaryOf(this.#offers.shown(tool, modern)));
    while (shown.length > 0 && Buffer.byteLength(JSON.stringify(shown)) > maxBytes) shown.pop();
    if (found.length === 0) return valueResult({ tools: shown, hint: "No tool matches. Try other words." });
    return valueResult({ tools: shown });
  }

  async #describe(
    { gateway, userId }: GatewayUser,
    name: string,
    { modern }: FindOptions,
  ): Promise<ResultFields> {
    const tool = await this.#offered(gateway, name);
    const seen = tool !== undefined && (await this.#tools.sees(gateway.projectId, userId, tool));
    return seen ? valueResult(this.#offers.shown(tool, modern)) : unknownTool(name);
  }

  /** A tool of the gateway, by any of its names. */
  async #offered(gateway: Gateway, name: string): Promise<Tool | undefined> {
    const { byName } = await this.#offers.of(gateway);
    const exact = byName.get(name);
    if (exact !== undefined) return exact;
    const known = (await this.#tools.registryOf(gateway.projectId)).peek(name);
    return known !== undefined && byName.get(known.modelName) === known ? known : undefined;
  }
}

/** The answer for a tool that does not exist, and for one that is hidden from the user: they must not be told apart. */
export function unknownTool(name: string): ResultFields {
  const shown = /^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : "with this name";
  return errorText(`There is no tool ${shown}. Find tools with search_tools.`);
}

/** Models often write the inner object as text. */
function withObject(given: JsonObject): JsonObject {
  const { arguments: inner } = given;
  if (typeof inner !== "string") return given;
  try {
    const parsed = parseJson(inner);
    // A part of a JSON value.
    return isObject(parsed) ? { ...given, arguments: parsed as JsonObject } : given;
  } catch {
    return given;
  }
}

/** A tool as a search shows it. `entry`: its entry in the list of tools. */
function summaryOf({ name, description, inputSchema }: JsonObject): JsonObject {
  const schema = isObject(inputSchema) ? inputSchema : {};
  const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  const required = names.filter((each) => needed.includes(each));
  const optional = names.filter((each) => !needed.includes(each)).slice(0, MOST_PARAMETERS);
  const text = typeof description === "string" ? description : "";
  const short = text.length > MOST_DESCRIPTION ? `${text.slice(0, MOST_DESCRIPTION).trimEnd()}…` : text;
  return { name: name ?? "", description: short.toWellFormed(), parameters: { required, optional } };
}

function valueResult(value: JsonObject): ResultFields {
  const text = JSON.stringify(value);
  return {
    fields: `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`,
  };
}
