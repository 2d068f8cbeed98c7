// MCP servers of others as workers: what a client of a gateway gets from them is what a client gets that is connected directly.
// The judge is the official client.
import { describe, expect } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isObject, type JsonObject } from "../../../src/base";
import { ToolError } from "../../../src/tools";
import type { McpKind } from "../../../src/workers/mcp";
import type { LoadedWorker, ReadCatalog, WorkerTool } from "../../../src/workers/tool";
import { kindOf, ran, workerAt } from "../../workers/mcp/worker";
import { testWithUpstreams } from "./peers";
import { type Call, type Peer, peers, type Upstream } from "./upstreams";

const PEER_MS = 120_000;

/** What both clients see: lists, and the outcome of each call. */
interface View {
  tools: unknown;
  prompts: unknown;
  resources: unknown;
  templates: unknown;
  outcomes: [request: unknown, outcome: unknown][];
}

type Outcome = { result: unknown } | { error: { code: unknown; message: unknown; data?: unknown } };

interface Way {
  view(): Promise<Omit<View, "outcomes">>;
  call(name: string, input: Record<string, unknown>): Promise<Outcome>;
  read(uri: string): Promise<Outcome>;
  prompt(name: string, input: Record<string, string>): Promise<Outcome>;
}

async function viewOf(way: Way, { calls, skips = [] }: Peer, folder: string): Promise<View> {
  const view = await way.view();
  const outcomes: View["outcomes"] = [];
  const each: Call[] = named(view.tools, "name").map((name) => [name, {}]);
  for (const [name, input] of [...each.filter(([tool]) => !skips.includes(tool)), ...calls(folder)]) {
    outcomes.push([[name, input], await way.call(name, input)]);
  }
  for (const uri of [...named(view.resources, "uri").slice(0, 5), "test://none"])
    outcomes.push([["resources/read", uri], await way.read(uri)]);
  for (const name of [...named(view.prompts, "name"), "none"]) {
    for (const input of [{}, { name: "Ann", topic: "rain", city: "Rome" }])
      outcomes.push([["prompts/get", name], await way.prompt(name, input)]);
  }
  return { ...view, outcomes };
}

function named(list: unknown, key: string): string[] {
  return Array.isArray(list) ? list.map((item: unknown) => String(isObject(item) ? item[key] : "")) : [];
}

async function directly(url: string): Promise<Way & AsyncDisposable> {
  const client = new Client(
    { name: "direct", version: "1" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const raw = {
    "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
  };
  const ask = async (method: string, params: object): Promise<Outcome> => {
    try {
      return { result: await client.request({ method, params } as never, raw as never) };
    } catch (error) {
      return { error: errorOf(error) };
    }
  };
  const list = async (method: string, member: string): Promise<unknown> => {
    const items: unknown[] = [];
    for (let cursor: unknown; ;) {
      const answer = await ask(method, cursor === undefined ? {} : { cursor });
      if (!("result" in answer) || !isObject(answer.result)) return [];
      const { [member]: page, nextCursor } = answer.result;
      items.push(...(Array.isArray(page) ? page : []));
      if (typeof nextCursor !== "string") return items;
      cursor = nextCursor;
    }
  };
  return {
    view: async () => ({
      tools: await list("tools/list", "tools"),
      prompts: await list("prompts/list", "prompts"),
      resources: await list("resources/list", "resources"),
      templates: await list("resources/templates/list", "resourceTemplates"),
    }),
    call: (name, input) => ask("tools/call", { name, arguments: input }),
    read: (uri) => ask("resources/read", { uri }),
    prompt: (name, input) => ask("prompts/get", { name, arguments: input }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function errorOf(error: unknown): { code: unknown; message: unknown; data?: unknown } {
  const { code, message, data } = Object(error);
  // The client writes the code in front of the message.
  return {
    code,
    message: String(message).replace(/^MCP error -?\d+: /, ""),
    ...(data === undefined ? {} : { data }),
  };
}

async function asWorker(url: string): Promise<Way & AsyncDisposable> {
  const kind: McpKind = kindOf();
  const worker: LoadedWorker = workerAt(url, { timeoutMs: 30_000 });
  const catalog: ReadCatalog = await kind.read(worker, {});
  const run = async (tool: WorkerTool | undefined, input: Record<string, unknown>): Promise<Outcome> => {
    if (tool === undefined) throw new Error("the catalog does not have the tool");
    try {
      return { result: (await ran(kind, worker, tool, input)).original };
    } catch (error) {
      if (!(error instanceof ToolError) || error.details.answered === undefined) throw error;
      return error.details.answered;
    }
  };
  const reserved = (which: string): WorkerTool | undefined =>
    catalog.tools.find((one) => one.reserved === which);
  const missing: Outcome = { error: { code: -32601, message: "Method not found" } };
  return {
    view: async () => ({
      tools: catalog.tools.filter((one) => one.reserved === undefined).map(shown),
      prompts: catalog.prompts ?? [],
      resources: catalog.resources ?? [],
      templates: catalog.resourceTemplates ?? [],
    }),
    call: (name, input) =>
      run(
        catalog.tools.find(({ upstream }) => upstream === name),
        input,
      ),
    read: async (uri) => (reserved("resource") === undefined ? missing : run(reserved("resource"), { uri })),
    prompt: async (name, input) =>
      reserved("prompt") === undefined ? missing : run(reserved("prompt"), { name, arguments: input }),
    [Symbol.asyncDispose]: () => kind.close(),
  };
}

/** A tool as clients of gateways see it, but for its name. */
function shown({ upstream, description, input, output, original = {} }: WorkerTool): JsonObject {
  return {
    name: upstream,
    ...(description === "" ? {} : { description }),
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    ...original,
  };
}

/** Folders, times and ids differ from one run to the next. */
function comparable(view: View, folder: string): unknown {
  const text = JSON.stringify(view)
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?/g, "TIME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "HASH")
    .replaceAll(/[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} [\d:]+ GMT[^"\\]*/g, "TIME")
    .replaceAll(/\d\d?:\d\d:\d\d (?:AM|PM)/g, "TIME");
  return withoutConnection(JSON.parse(text, withoutKnown));
}

/** The differences that the documentation names: descriptions are cut. And the official client takes the code off a message. */
function withoutKnown(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (key === "description") return value.slice(0, 4096).trim();
  return key === "message" ? value.replace(/^MCP error -?\d+: /, "") : value;
}

/** What belongs to the connection between client and server: the type of a result, and who sent it. */
function withoutConnection(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutConnection);
  if (!isObject(value)) return value;
  const { "io.modelcontextprotocol/serverInfo": _info, ...meta } = isObject(value["_meta"])
    ? value["_meta"]
    : {};
  const entries = Object.entries(value).filter(([key]) => key !== "_meta" && key !== "resultType");
  return Object.fromEntries([
    ...entries.map(([key, inner]) => [key, withoutConnection(inner)] as const),
    ...(Object.keys(meta).length === 0 ? [] : [["_meta", withoutConnection(meta)] as const]),
  ]);
}

async function viewFrom(
  connect: (url: string) => Promise<Way & AsyncDisposable>,
  peer: Peer,
): Promise<unknown> {
  await using upstream: Upstream = await peer.start();
  await using way = await connect(upstream.url);
  return comparable(await viewOf(way, peer, upstream.folder), upstream.folder);
}

describe("a client of a worker sees what a client sees that is connected directly:", () => {
  testWithUpstreams().each(peers.map((peer) => [peer.name, peer] as const))(
    "%s",
    async (_name, peer) => {
      const direct = await viewFrom(directly, peer);
      const through = await viewFrom(asWorker, peer);

      expect(through).toEqual(direct);
      expect(JSON.stringify(direct).length).toBeGreaterThan(500);
    },
    PEER_MS,
  );
});
