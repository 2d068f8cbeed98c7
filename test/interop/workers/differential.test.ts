// What a client of a gateway sees of an MCP worker is what a client of the server itself sees, member by member. What may differ
// is the list in docs/workers.md.
import { describe, expect } from "bun:test";
import { isObject, type JsonObject } from "../../../src/base";
import type { CreateWorker } from "../../../src/workers";
import { type McpSite, startMcpSite } from "../../mcp/site";
import { operator } from "../../tools/deployment";
import { mcpWorker } from "../../workers/site";
import { testPrograms } from "../../workers/stdio/real-programs";
import {
  PEER_FOLDER,
  type Peer,
  peerFolder,
  peers,
  type Program,
  type Started,
  testWithWorkerPeers,
} from "./peers";
import { type RawClient, rawClients } from "./raw-client";

const test = testWithWorkerPeers();
const TIMEOUT_MS = 120_000;
/** Characters of descriptions that are compared. */
const SHOWN = 4000;
/** Servers that make something up say when. */
const TIME = /\d{1,2}:\d{2}:\d{2} [AP]M/;
const TIMESTAMP = /(timestamp\\*": ?)\d{10}/g;
const BLOB = /"blob":"([^"]*)"/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

const toolkitOf = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");

interface Sides extends AsyncDisposable {
  direct: RawClient;
  gateway: RawClient;
  toolkit: string;
  folder: string;
}

async function sidesOf(peer: Peer, connect: (typeof rawClients)[keyof typeof rawClients]): Promise<Sides> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder()).path;
  peer.reset?.(folder);
  const server = peer.program?.(folder) ?? stack.use(await started(peer, folder)).url;
  const site: McpSite = stack.use(await startMcpSite({ parts: { programs: testPrograms() } }));
  const worker =
    typeof server === "string" ? mcpWorker(peer.name, server) : ofProgram(peer.name, server, folder);
  await site.deployment.runtime.workers.create(operator(), worker);
  const url = await site.gateway("all");
  const headers = { authorization: `Bearer ${await site.key()}`, "x-user-id": "alice" };
  const direct = stack.use(await connect(server, {}));
  const gateway = stack.use(await connect(url, headers));
  return {
    direct,
    gateway,
    toolkit: toolkitOf(peer.name),
    folder,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function started({ name, start }: Peer, folder: string): Promise<Started> {
  if (start === undefined) throw new Error(`${name} has neither an address nor a program`);
  return start(folder);
}

/** In the cage, with the folder of the peer. */
function ofProgram(id: string, { command, args, env }: Program, folder: string): CreateWorker {
  const paths = { read: [PEER_FOLDER], write: [folder] };
  return {
    id,
    mcp: { timeout: 30, retry: 0, stdio: { command, arguments: args, environment: env, ...paths } },
  };
}

/** All items of a list, by name. */
async function listOf(
  client: RawClient,
  method: "listTools" | "listPrompts" | "listResources" | "listResourceTemplates",
  member: string,
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await client.send(method, cursor === undefined ? {} : { cursor });
    const page = isObject(result) ? (result as JsonObject) : {};
    if (Array.isArray(page[member])) items.push(...(page[member] as JsonObject[]));
    cursor = typeof page["nextCursor"] === "string" ? page["nextCursor"] : undefined;
  } while (cursor !== undefined);
  return items
    .map(withoutLongEnd)
    .toSorted((left, right) => (String(left["name"]) < String(right["name"]) ? -1 : 1));
}

/** Gateways cut long descriptions. */
function withoutLongEnd(item: JsonObject): JsonObject {
  const { description } = item;
  return typeof description === "string" ? { ...item, description: description.slice(0, SHOWN) } : item;
}

/** The items of the server itself, named as the gateway names them. */
function named(items: JsonObject[], name: (given: string) => string): JsonObject[] {
  return items.map((item) => ({ ...item, name: name(String(item["name"])) }));
}

/** Without what names this server, how long an answer may be kept, and the id of the session with the server. */
function compared(reply: JsonObject): JsonObject {
  const text = JSON.stringify(reply)
    .replaceAll(UUID, "ID")
    .replaceAll(TIMESTAMP, "$10")
    .replaceAll(BLOB, withoutTime)
    .replaceAll(new RegExp(TIME, "g"), "TIME");
  const { result, ...rest } = JSON.parse(text) as JsonObject;
  if (!isObject(result)) return { ...rest, ...(result === undefined ? {} : { result }) };
  const { _meta, ttlMs: _ttl, cacheScope: _scope, resultType: _type, ...members } = result as JsonObject;
  const { "io.modelcontextprotocol/serverInfo": _server, ...meta } = (_meta ?? {}) as JsonObject;
  return { result: { ...members, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) } };
}

function withoutTime(_blob: string, base64: string): string {
  const text = Buffer.from(base64, "base64").toString();
  return `"blob":${TIME.test(text) ? '"with a time"' : `"${base64}"`}`;
}

/** What both sides say to the same question. */
class Comparison {
  readonly #sides: Sides;
  readonly differences: { of: unknown; direct: unknown; gateway: unknown }[] = [];

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  get isModern(): boolean {
    return this.#sides.gateway.version === "2026-07-28";
  }

  /** Names at the gateway: of tools, and of everything else. */
  readonly tool = (name: string): string => this.other(name.replaceAll(/[^A-Za-z0-9_]/g, "_"));
  readonly other = (name: string): string => `${this.#sides.toolkit}_${name}`;

  /** The items of a list as the server has them. */
  async lists(
    method: "listTools" | "listPrompts" | "listResources" | "listResourceTemplates",
    member: string,
    nameOf: (given: string) => string,
  ): Promise<JsonObject[]> {
    const { direct, gateway } = this.#sides;
    const items = await listOf(direct, method, member);
    const here = await listOf(gateway, method, member);
    const ofPeer = here.filter(({ name }) => String(name).startsWith(this.other("")));
    this.#note(method, ofPeer, named(items, nameOf));
    return items;
  }

  /** The same request, with the parameters that each side needs. */
  async asks(
    method: "callTool" | "getPrompt" | "readResource" | "complete",
    params: { direct: object; gateway: object },
    reset: () => void = () => undefined,
  ): Promise<void> {
    const { direct, gateway } = this.#sides;
    reset();
    const expected = compared(await direct.send(method, params.direct));
    reset();
    const seen = compared(await gateway.send(method, params.gateway));
    this.#note([method, params.direct], withName(seen, params), withName(expected, params));
  }

  /** Reads what a call links to. */
  async follows(tool: string, input: Record<string, unknown>, uri: string): Promise<void> {
    const read = async (client: RawClient, name: string): Promise<JsonObject> => {
      await client.send("callTool", { name, arguments: input });
      return compared(await client.send("readResource", { uri }));
    };
    const { direct, gateway } = this.#sides;
    const expected = await read(direct, tool);
    this.#note(["link", uri], await read(gateway, this.tool(tool)), expected);
  }

  /** Inputs that break the schema are refused by the gateway itself, and by the server. */
  async refuses(tool: string, input: Record<string, unknown>): Promise<void> {
    const { direct, gateway } = this.#sides;
    const expected = await direct.send("callTool", { name: tool, arguments: input });
    const seen = await gateway.send("callTool", { name: this.tool(tool), arguments: input });
    const isRefused = (reply: JsonObject): boolean =>
      reply["error"] !== undefined || (isObject(reply["result"]) && reply["result"]["isError"] === true);
    this.#note(["refused", tool, input], isRefused(seen), isRefused(expected));
  }

  #note(of: unknown, gateway: unknown, direct: unknown): void {
    if (!Bun.deepEquals(gateway, direct, true)) this.differences.push({ of, direct, gateway });
  }
}

/** A client that refuses a call by itself names the tool. */
function withName(reply: JsonObject, { direct, gateway }: { direct: object; gateway: object }): JsonObject {
  const { refusal } = reply;
  if (typeof refusal !== "string" || !("name" in direct) || !("name" in gateway)) return reply;
  return { refusal: refusal.replace(String(gateway.name), String(direct.name)) };
}

async function compareTools(comparison: Comparison, peer: Peer, folder: string): Promise<void> {
  const calls = peer.calls(folder);
  for (const { name: given } of await comparison.lists("listTools", "tools", comparison.tool)) {
    const name = String(given);
    const older = comparison.isModern ? [] : (peer.older?.[name] ?? []);
    for (const input of [...(calls[name] ?? [{}]), ...older]) {
      const params = {
        direct: { name, arguments: input },
        gateway: { name: comparison.tool(name), arguments: input },
      };
      await comparison.asks("callTool", params, () => peer.reset?.(folder));
    }
  }
}

async function compareRefusals(comparison: Comparison, { invalid = {} }: Peer): Promise<void> {
  for (const [tool, inputs] of Object.entries(invalid))
    for (const input of inputs) await comparison.refuses(tool, input);
}

async function compareOthers(comparison: Comparison, peer: Peer): Promise<void> {
  const { other } = comparison;
  await comparison.lists("listPrompts", "prompts", other);
  for (const [name, given] of Object.entries(peer.prompts ?? {})) {
    const direct = { name, arguments: given };
    await comparison.asks("getPrompt", { direct, gateway: { ...direct, name: other(name) } });
  }
  const resources = await comparison.lists("listResources", "resources", other);
  await comparison.lists("listResourceTemplates", "resourceTemplates", other);
  for (const uri of [...resources.map((resource) => String(resource["uri"])), ...(peer.reads ?? [])])
    await comparison.asks("readResource", { direct: { uri }, gateway: { uri } });
  for (const { tool, input, uri } of peer.linked ?? []) await comparison.follows(tool, input, uri);
  for (const { ref, argument } of peer.completions ?? []) {
    const here = ref["type"] === "ref/prompt" ? { ...ref, name: other(String(ref["name"])) } : ref;
    await comparison.asks("complete", { direct: { ref, argument }, gateway: { ref: here, argument } });
  }
}

describe.each(peers.map((peer) => [peer.name, peer] as const))("%s", (_name, peer) => {
  test.each(Object.entries(rawClients))(
    "%s sees the same at the gateway",
    async (_client, connect) => {
      await using sides = await sidesOf(peer, connect);
      const comparison = new Comparison(sides);
      await compareTools(comparison, peer, sides.folder);
      await compareRefusals(comparison, peer);
      await compareOthers(comparison, peer);
      expect(comparison.differences).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
