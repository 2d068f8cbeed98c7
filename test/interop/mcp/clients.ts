// The official TypeScript clients, each as a program would use it: v1, and the current one in both protocol families.
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from "@modelcontextprotocol/client";
import { UrlElicitationRequiredError as CurrentUrlError } from "@modelcontextprotocol/client";
import { StdioClientTransport as CurrentStdio } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { UrlElicitationRequiredError as FirstUrlError } from "@modelcontextprotocol/sdk/types.js";
import { isObject } from "../../../src/base";
import type { OAuthProvider } from "./oauth";

export interface Access {
  headers?: Record<string, string>;
  /** If set, in place of the global one, for a server with a certificate of the test. */
  fetch?: typeof fetch;
  /** If set, the client gets a token by itself. */
  provider?: OAuthProvider;
  /** If set, the client announces URL elicitation, and its user opens the address. */
  visit?: (url: string) => Promise<void>;
  /** If set, the client listens for changes of the list of tools, and gets the names of the new one. */
  changed?: (names: string[]) => void;
}

export interface Outcome {
  isError: boolean;
  text: string;
  structured: unknown;
}

export interface Session extends AsyncDisposable {
  /** The negotiated protocol version. */
  version: string | undefined;
  instructions: string | undefined;
  tools(): Promise<{ name: string; annotations: unknown; outputSchema: unknown }[]>;
  call(name: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome>;
}

/** A program with an MCP server on standard input and output. */
export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface OfficialClient {
  name: string;
  version: string;
  connect(server: string | Program, access: Access): Promise<Session>;
}

const INFO = { name: "interop", version: "1.0.0" };

export const officialClients: readonly OfficialClient[] = [
  { name: "v1", version: "2025-11-25", connect: connectFirst },
  {
    name: "current, 2025 family",
    version: "2025-11-25",
    connect: (...to) => connectCurrent("legacy", ...to),
  },
  { name: "current, by itself", version: "2026-07-28", connect: (...to) => connectCurrent("auto", ...to) },
  {
    name: "current, 2026 only",
    version: "2026-07-28",
    connect: (...to) => connectCurrent({ pin: "2026-07-28" }, ...to),
  },
];

async function connectFirst(server: string | Program, access: Access): Promise<Session> {
  const client = new FirstClient(INFO, { capabilities: capabilitiesOf(access), ...listening(access) });
  // Its types are incompatible under exactOptionalPropertyTypes.
  const connect = (to: object) => client.connect(to as Transport);
  let version: string | undefined;
  if (typeof server === "string") {
    const transport = () =>
      new FirstTransport(new URL(server), {
        requestInit: { headers: access.headers ?? {} },
        ...(access.provider === undefined ? {} : { authProvider: access.provider }),
        ...(access.fetch === undefined ? {} : { fetch: access.fetch }),
      });
    const first = transport();
    await connect(first).catch(async (error: unknown) => {
      if (access.provider?.visited.length !== 1) throw error;
      await first.finishAuth((await access.provider.signedIn()).get("code") ?? "");
      await connect(transport());
    });
    version = first.protocolVersion;
  } else {
    await connect(new FirstStdio({ ...server, stderr: "ignore" }));
  }
  const call = async (name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome> =>
    outcomeOf(await client.callTool({ name, arguments: input }, undefined, ending(signal)));
  return {
    version,
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools.map(shown),
    call: (name, input = {}, signal) => visiting(access, FirstUrlError, () => call(name, input, signal)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

type Mode = "auto" | "legacy" | { pin: "2026-07-28" };

async function connectCurrent(mode: Mode, server: string | Program, access: Access): Promise<Session> {
  const client = new CurrentClient(INFO, {
    capabilities: capabilitiesOf(access),
    versionNegotiation: { mode },
    ...listening(access),
  });
  const { visit, provider } = access;
  if (visit !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (!("url" in params)) return { action: "decline" };
      await visit(params.url);
      return { action: "accept" };
    });
  }
  if (typeof server === "string") {
    const transport = () =>
      new CurrentTransport(new URL(server), {
        requestInit: { headers: access.headers ?? {} },
        ...(provider === undefined ? {} : { authProvider: provider }),
        ...(access.fetch === undefined ? {} : { fetch: access.fetch }),
      });
    const first = transport();
    await client.connect(first).catch(async (error: unknown) => {
      if (provider?.visited.length !== 1) throw error;
      await first.finishAuth(await provider.signedIn());
      await client.connect(transport());
    });
  } else {
    await client.connect(new CurrentStdio({ ...server, stderr: "ignore" }));
  }
  const call = async (name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome> =>
    outcomeOf(await client.callTool({ name, arguments: input }, ending(signal)));
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools.map(shown),
    call: (name, input = {}, signal) => visiting(access, CurrentUrlError, () => call(name, input, signal)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function ending(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function capabilitiesOf({ visit }: Access) {
  return visit === undefined ? {} : { elicitation: { url: {} } };
}

function listening({ changed }: Access) {
  if (changed === undefined) return {};
  const onChanged = (_error: Error | null, tools: readonly { name: string }[] | null) =>
    changed((tools ?? []).map(({ name }) => name));
  return { listChanged: { tools: { onChanged, debounceMs: 0 } } };
}

type UrlError = new (...args: never[]) => Error & { elicitations: { url: string }[] };

/** In the 2025 family a call that needs the user's consent is an error with addresses; the call is then retried. */
async function visiting(
  { visit }: Access,
  urlError: UrlError,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof urlError) || visit === undefined) throw error;
    for (const { url } of error.elicitations) await visit(url);
    return call();
  }
}

function shown(tool: { name: string; annotations?: unknown; outputSchema?: unknown }) {
  return { name: tool.name, annotations: tool.annotations, outputSchema: tool.outputSchema };
}

function outcomeOf(result: unknown): Outcome {
  const { content, isError, structuredContent } = Object(result);
  const texts = (Array.isArray(content) ? content : []).filter(isObject).map(({ text }) => String(text));
  return { isError: isError === true, text: texts.join("\n"), structured: structuredContent };
}
