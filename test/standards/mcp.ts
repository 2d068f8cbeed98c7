// Exchanges with gateways, for both protocol families.
import { expect } from "bun:test";
import { type Answer, check, type Expected } from "./exchange";
import type { Proof } from "./ledger";
import type { World } from "./world";

const META = "io.modelcontextprotocol";
export const MODERN = "2026-07-28";

export interface McpSent {
  /** A text is sent as it is. */
  message: unknown;
  headers?: Record<string, string>;
  /** Sends the session of the 2025 family. */
  session?: true;
  signal?: AbortSignal;
}

/** Posts a message to the gateway with API keys. */
export async function post(world: World, { message, headers, session, signal }: McpSent): Promise<Answer> {
  const response = await fetch(world.gateways.keys, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.keys.run}`,
      "x-user-id": "alice",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === true ? { "mcp-session-id": await world.session() } : {}),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function posts(sent: McpSent, expected: Expected): Proof {
  return async (world) => check(world, await post(world, sent), expected);
}

export function request(method: string, params?: object, id: unknown = 1): object {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** A message of the 2025 family, in a session. */
export function legacy(method: string, params: object | undefined, expected: Expected, headers = {}): Proof {
  return posts({ message: request(method, params), session: true, headers }, expected);
}

export interface ModernOptions {
  capabilities?: object;
  headers?: Record<string, string>;
  id?: unknown;
  meta?: object;
}

/** A message of the 2026 family, with its headers. */
export function modernMessage(method: string, params: object = {}, options: ModernOptions = {}): McpSent {
  const { capabilities = {}, headers = {}, id = 1, meta = {} } = options;
  const { name } = Object(params);
  const _meta = {
    [`${META}/protocolVersion`]: MODERN,
    [`${META}/clientCapabilities`]: capabilities,
    ...meta,
  };
  return {
    message: request(method, { ...params, _meta }, id),
    headers: {
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
    },
  };
}

export function modern(
  method: string,
  params: object,
  expected: Expected,
  options: ModernOptions = {},
): Proof {
  return posts(modernMessage(method, params, options), expected);
}

/** The messages of a stream, or the one of a JSON answer. */
export function messagesOf({ headers, text }: Answer): Record<string, unknown>[] {
  if (headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return text === "" ? [] : [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
}

/** Looks at the messages of an answer. */
export function looks(
  sent: McpSent,
  look: (messages: Record<string, unknown>[], answer: Answer) => unknown,
): Proof {
  return async (world) => {
    const answer = await post(world, sent);
    expect(answer.status, answer.text).toBe(200);
    await look(messagesOf(answer), answer);
  };
}

export const error = (code: number, status: number | readonly number[] = 200): Expected => ({
  status,
  body: new RegExp(`"error":\\{"code":${code}[,}]`),
});

export const call = (name: string, more: object = {}): object => ({ name, arguments: {}, ...more });
