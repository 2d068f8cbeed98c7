// The official TypeScript clients, and the JSON that they get: the messages as they are, before a client reads them.
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as CurrentProgram } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstProgram } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isObject, type JsonObject } from "../../../src/base";
import type { Program } from "./peers";

/** What both clients can do. */
interface Methods {
  listTools(params: object): Promise<unknown>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listPrompts(params: object): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  listResources(params: object): Promise<unknown>;
  listResourceTemplates(params: object): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  complete(params: object): Promise<unknown>;
}

export interface RawClient extends AsyncDisposable {
  readonly version: string | undefined;
  /** `result` or `error` of the reply; the client's own refusal if it sent nothing. */
  send(method: keyof Methods, params: object): Promise<JsonObject>;
}

/** What the user of each client does. */
const ASKING = { elicitation: { form: {}, url: {} } };
const answer = (params: object): { action: "accept"; content?: Record<string, string> } =>
  "url" in params ? { action: "accept" } : { action: "accept", content: { name: "Ann" } };

const INFO = { name: "differential", version: "1.0.0" };

export const rawClients = {
  "the first client": connectFirst,
  "the current client": connectCurrent,
} as const;

/** An address, or a program. */
type Server = string | Program;

async function connectFirst(server: Server, headers: Record<string, string>): Promise<RawClient> {
  const client = new FirstClient(INFO, { capabilities: ASKING });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params));
  const transport =
    typeof server === "string"
      ? new FirstTransport(new URL(server), { requestInit: { headers } })
      : new FirstProgram({ ...server, stderr: "ignore" });
  // Its types are incompatible under exactOptionalPropertyTypes.
  await client.connect(transport as object as Transport);
  return rawClient(
    client as unknown as Methods & { close(): Promise<void> },
    transport,
    "protocolVersion" in transport ? String(transport.protocolVersion) : undefined,
  );
}

async function connectCurrent(server: Server, headers: Record<string, string>): Promise<RawClient> {
  const client = new CurrentClient(INFO, { capabilities: ASKING, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("elicitation/create", async ({ params }) => answer(params));
  const transport =
    typeof server === "string"
      ? new CurrentTransport(new URL(server), { requestInit: { headers } })
      : new CurrentProgram({ ...server, stderr: "ignore" });
  await client.connect(transport);
  return rawClient(
    client as unknown as Methods & { close(): Promise<void> },
    transport,
    client.getNegotiatedProtocolVersion(),
  );
}

function rawClient(
  client: Methods & { close(): Promise<void> },
  transport: object,
  version: string | undefined,
): RawClient {
  const listened = transport as { onmessage?: (message: unknown, ...more: unknown[]) => void };
  const before = listened.onmessage?.bind(listened);
  let reply: JsonObject | undefined;
  listened.onmessage = (message, ...more) => {
    if (isObject(message) && ("result" in message || "error" in message)) reply = copyOf(message);
    before?.(message, ...more);
  };
  return {
    version,
    send: async (method, params) => {
      reply = undefined;
      const call = client[method].bind(client) as (params: object) => Promise<unknown>;
      const refusal = await call(params).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      const { result, error } = (reply ?? {}) as JsonObject;
      if (result === undefined && error === undefined) return { refusal: refusal ?? "no reply" };
      return error === undefined ? { result: result ?? null } : { error };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

// The client may change what it has got.
function copyOf(message: object): JsonObject {
  return JSON.parse(JSON.stringify(message));
}
