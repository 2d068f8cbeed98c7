// A deployment with gateways for the test catalog, and a minimal client.
import { type Server, startServer } from "../../server";
import type { JsonObject } from "../../src/base";
import type { CreateGateway } from "../../src/gateways";
import type { Role } from "../../src/identity";
import { at } from "../support/api";
import { deploy, type Deployment, type DeploymentOptions, operator } from "../tools/deployment";

export interface McpSite extends AsyncDisposable {
  readonly deployment: Deployment;
  readonly url: string;
  key(role?: Role, users?: string[], project?: string): Promise<string>;
  /** Creates a gateway for API keys, or with the fields of `record`. Returns its MCP address. */
  gateway(slug: string, record?: Partial<CreateGateway>, project?: string): Promise<string>;
}

export async function startMcpSite(options: DeploymentOptions = {}): Promise<McpSite> {
  const deployment = await deploy({ ...options, environment: { RUNTIME_PORT: "0", ...options.environment } });
  const { runtime } = deployment;
  const server: Server = await startServer(runtime);
  return {
    deployment,
    url: server.address,
    key: async (role = "run", users, project = "default") => {
      const request = { name: `test ${role}`, role, ...(users === undefined ? {} : { users }) };
      return (await runtime.identity.createKey(operator(project), request)).key ?? "";
    },
    gateway: async (slug, record = {}, project = "default") => {
      await runtime.gateways.create(operator(project), {
        name: `Gateway ${slug}`,
        slug,
        auth_type: "arcade_header",
        ...record,
      });
      return `${server.address}/mcp/${slug}`;
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await deployment[Symbol.asyncDispose]();
    },
  };
}

export interface McpAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON-RPC messages of the body: one, or those of a stream. */
  messages: JsonObject[];
}

export interface McpCall {
  key?: string | undefined;
  user?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends one message unchanged. */
export async function post(url: string, message: unknown, call: McpCall = {}): Promise<McpAnswer> {
  const response = await send(url, message, call);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, messages: messagesOf(response, text) };
}

/** Resolves when the answer begins. */
export function send(url: string, message: unknown, call: McpCall = {}): Promise<Response> {
  const { key, user, headers, signal } = call;
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(user === undefined ? {} : { "x-user-id": user }),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

function messagesOf({ headers }: Response, text: string): JsonObject[] {
  if (text === "") return [];
  if (headers.get("content-type")?.startsWith("text/event-stream") !== true) return [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
}

export const request = (method: string, params?: object, id: unknown = 1): JsonObject =>
  JSON.parse(JSON.stringify({ jsonrpc: "2.0", id, method, params }));

const META = "io.modelcontextprotocol";

/** A client of one user at one gateway, of any revision. */
export function client(url: string, call: McpCall) {
  const legacy = (method: string, params?: object, headers: Record<string, string> = {}) =>
    post(url, request(method, params), { ...call, headers: { ...call.headers, ...headers } });
  const modern = (
    method: string,
    params: { [name: string]: unknown } = {},
    { capabilities = {}, headers = {} }: { capabilities?: object; headers?: Record<string, string> } = {},
  ) => {
    const meta = { [`${META}/protocolVersion`]: "2026-07-28", [`${META}/clientCapabilities`]: capabilities };
    const name = typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {};
    const sent = { ...params, _meta: { ...meta, ...Object(params["_meta"]) } };
    return post(url, request(method, sent), {
      ...call,
      headers: {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...name,
        ...call.headers,
        ...headers,
      },
    });
  };
  return {
    legacy,
    modern,
    /** Starts a session and returns its id. */
    initialize: async (capabilities: object = {}, protocolVersion = "2025-11-25") => {
      const clientInfo = { name: "test", version: "1" };
      const answer = await legacy("initialize", { protocolVersion, capabilities, clientInfo });
      return { answer, session: answer.headers.get("mcp-session-id") ?? "" };
    },
  };
}

/** The value at a path in the only message of an answer. */
export function valueAt(answer: McpAnswer, path: string): unknown {
  return at(answer.messages.at(-1), path);
}
