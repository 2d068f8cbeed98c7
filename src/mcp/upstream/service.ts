// Prompts, resources and completions of MCP servers at gateways: lists come from the stored catalogs, everything else runs as a
// reserved tool.
import { isObject, type JsonObject } from "../../base";
import { hashOf } from "../../crypto";
import type { Gateway } from "../../gateways";
import type { Registry, Tool, Tools } from "../../tools";
import type { GatewayUser } from "../access";
import type { AnswerForm, Reader } from "../answer-form";
import { INVALID_PARAMS, noSuchMethod, RESOURCE_NOT_FOUND, RpcError } from "../json-rpc";
import type { List, ListKind } from "../list-changes";
import { pageOf, pageText } from "../list-page";
import { type Listed, type UpstreamLists, type UpstreamOffer, upstreamOffer } from "./offer";
import type { Shown } from "./passed-result";
import { completionMembers, promptMembers, readForm, resourceMembers } from "./read-form";
import type { Addressed } from "./uris";

/** Requests that run a reserved tool. */
export const READS = ["prompts/get", "resources/read", "completion/complete"] as const;
type Read = (typeof READS)[number];

/** The lists, and the members of their results. */
const LISTS = {
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;
export type ListMethod = keyof typeof LISTS;

type UpstreamKind = Exclude<ListKind, "tools">;

/** A run of a reserved tool. */
export interface ReadCall {
  tool: Tool;
  input: JsonObject;
  form: AnswerForm;
}

export interface ReadOptions {
  reader: Reader;
  maxBytes: number;
}

export class Upstreams {
  readonly #tools: Tools;
  // A change of a gateway creates a new record object, a change of a worker a new registry.
  readonly #byGateway = new WeakMap<Gateway, { registry: Registry; offer: UpstreamOffer }>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async of(gateway: Gateway): Promise<UpstreamOffer> {
    const registry = await this.#tools.registryOf(gateway.projectId);
    const known = this.#byGateway.get(gateway);
    if (known?.registry === registry) return known.offer;
    const offer = upstreamOffer(registry, gateway);
    this.#byGateway.set(gateway, { registry, offer });
    return offer;
  }

  /** A page of what the user may see, as JSON without the outer braces; undefined for a kind of which the gateway has nothing. */
  async page(
    { gateway, userId }: GatewayUser,
    method: ListMethod,
    cursor: string | undefined,
    listed: (kind: UpstreamKind, fingerprint: string) => void,
  ): Promise<string | undefined> {
    const member = LISTS[method];
    const offer = await this.of(gateway);
    if (!has(offer, method)) return undefined;
    const seen = await this.#visible(gateway, userId, offer);
    const kind = member === "prompts" ? "prompts" : "resources";
    listed(kind, fingerprintOf(kind, seen));
    const page = pageOf(seen[member], ({ shown }) => shown, cursor);
    return pageText(
      member,
      page.shown.map(({ text }) => text),
      page.cursor,
    );
  }

  /** The lists of which clients can be told that they have changed. */
  get lists(): Record<UpstreamKind, List> {
    const list = (kind: UpstreamKind): List => ({
      basis: async (gateway) => {
        const all = fingerprintOf(kind, (await this.of(gateway)).lists);
        return `${all} ${await this.#tools.accessRulesOf(gateway.projectId)}`;
      },
      fingerprint: async ({ gateway, userId }) =>
        fingerprintOf(kind, await this.#visible(gateway, userId, await this.of(gateway))),
    });
    return { prompts: list("prompts"), resources: list("resources") };
  }

  /** What the user may see. */
  async #visible(gateway: Gateway, userId: string, offer: UpstreamOffer): Promise<UpstreamLists> {
    const { lists, serving } = offer;
    const visible = new Set(await this.#tools.visible(gateway.projectId, userId, serving));
    if (visible.size === serving.length) return lists;
    const seen = (items: readonly Listed[]): Listed[] => items.filter(({ tool }) => visible.has(tool));
    return {
      prompts: seen(lists.prompts),
      resources: seen(lists.resources),
      resourceTemplates: seen(lists.resourceTemplates),
    };
  }

  /** What a request runs. Throws `RpcError` if the gateway does not have it. */
  async read(
    { gateway }: GatewayUser,
    method: Read,
    params: JsonObject,
    options: ReadOptions,
  ): Promise<ReadCall> {
    const offer = await this.of(gateway);
    if (!has(offer, method)) throw noSuchMethod(options.reader.modern);
    if (method === "prompts/get") return promptRead(offer, params, options);
    if (method === "resources/read") return resourceRead(offer, params, options);
    return completion(offer, params, options);
  }

  /** How a gateway shows content of the server of a tool. */
  async shownBy(gateway: Gateway, tool: Tool, reader: Reader): Promise<Shown> {
    return shownBy(await this.of(gateway), tool, reader);
  }
}

const fingerprints = new WeakMap<UpstreamLists, Partial<Record<UpstreamKind, string>>>();

/** Resources and templates change together. */
function fingerprintOf(kind: UpstreamKind, lists: UpstreamLists): string {
  const known = fingerprints.get(lists) ?? {};
  fingerprints.set(lists, known);
  const { prompts, resources, resourceTemplates } = lists;
  const items = (): readonly Listed[] =>
    kind === "prompts" ? prompts : [...resources, ...resourceTemplates];
  return (known[kind] ??= hashOf(
    items()
      .map(({ text }) => text)
      .join("\n"),
  ));
}

/** Whether the gateway has what a method is about. */
function has({ has: kinds }: UpstreamOffer, method: Read | ListMethod): boolean {
  if (method === "completion/complete") return kinds.completions;
  return method.startsWith("prompts/") ? kinds.prompts : kinds.resources;
}

export function isRead(method: string): method is Read {
  return READS.some((known) => known === method);
}

export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(LISTS, method);
}

function promptRead(offer: UpstreamOffer, params: JsonObject, options: ReadOptions): ReadCall {
  const { name, arguments: given } = params;
  if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "params.name must be a string.");
  const missing = (): RpcError => new RpcError(INVALID_PARAMS, "prompt not found");
  const prompt = offer.promptsByName.get(name);
  if (prompt === undefined) throw missing();
  const shown = shownBy(offer, prompt.tool, options.reader);
  return {
    tool: prompt.tool,
    input: { name: prompt.upstream, ...(given === undefined || given === null ? {} : { arguments: given }) },
    form: readForm({
      ...options,
      missing,
      mayAsk: true,
      members: (result, isOriginal) => promptMembers(result, isOriginal, shown),
    }),
  };
}

function resourceRead(offer: UpstreamOffer, { uri }: JsonObject, options: ReadOptions): ReadCall {
  if (typeof uri !== "string") throw new RpcError(INVALID_PARAMS, "params.uri must be a string.");
  const { reader } = options;
  const code = reader.modern ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  const missing = (): RpcError => new RpcError(code, "Resource not found", { data: { uri } });
  const found = offer.uris.find(uri);
  if (found === undefined) throw missing();
  const uriOf = (sent: string): string =>
    sent === found.upstream ? uri : offer.uris.shown(found.reader, sent);
  return {
    tool: found.reader,
    input: { uri: found.upstream },
    form: readForm({
      ...options,
      missing,
      mayAsk: true,
      members: (result, isOriginal) => resourceMembers(result, isOriginal, reader, uriOf),
    }),
  };
}

function completion(offer: UpstreamOffer, params: JsonObject, options: ReadOptions): ReadCall {
  const { ref, argument, context } = params;
  if (!isObject(ref) || !isObject(argument))
    throw new RpcError(INVALID_PARAMS, "params.ref and params.argument must be objects.");
  const missing = (): RpcError =>
    new RpcError(INVALID_PARAMS, "Nothing with this reference can be completed.");
  const { catalog, named } = referenceOf(offer, ref as JsonObject) ?? {};
  const tool = catalog === undefined ? undefined : offer.completers.get(catalog);
  if (tool === undefined || named === undefined) throw missing();
  return {
    tool,
    input: { ref: { ...(ref as JsonObject), ...named }, argument, ...(isObject(context) ? { context } : {}) },
    form: readForm({ ...options, missing, mayAsk: false, members: completionMembers }),
  };
}

/** The server of a prompt or a template, and the member with the name that it has there. */
function referenceOf(
  offer: UpstreamOffer,
  { type, name, uri }: JsonObject,
): { catalog: Tool["catalog"]; named: JsonObject } | undefined {
  if (type === "ref/prompt" && typeof name === "string") {
    const prompt = offer.promptsByName.get(name);
    return prompt && { catalog: prompt.tool.catalog, named: { name: prompt.upstream } };
  }
  if (type !== "ref/resource" || typeof uri !== "string") return undefined;
  const found: Pick<Addressed, "reader" | "upstream"> | undefined =
    offer.uris.template(uri) ?? offer.uris.find(uri);
  return found && { catalog: found.reader.catalog, named: { uri: found.upstream } };
}

/** Addresses as the gateway has them; for revision 2025-03-26, a link as text. */
function shownBy({ uris }: UpstreamOffer, tool: Tool, { readsLinks }: Reader): Shown {
  const address = (item: JsonObject): JsonObject => {
    const { uri } = item;
    const shown = typeof uri === "string" ? uris.shown(tool, uri) : uri;
    return shown === uri || shown === undefined ? item : { ...item, uri: shown };
  };
  const one = (item: JsonObject): JsonObject => {
    const { type, resource } = item;
    if (type === "resource_link") return readsLinks ? address(item) : linkText(address(item));
    if (type !== "resource" || !isObject(resource)) return item;
    const addressed = address(resource as JsonObject);
    return addressed === resource ? item : { ...item, resource: addressed };
  };
  return (items) => items.map(one);
}

function linkText({ name, uri }: JsonObject): JsonObject {
  return { type: "text", text: `${String(name ?? "Resource")}: ${String(uri)}` };
}
