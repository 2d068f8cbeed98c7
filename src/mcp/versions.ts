// Protocol revisions. Until 2025-11-25 a session starts with `initialize`; since 2026-07-28 each request has the version and
// the client's capabilities in `_meta`.
import { isObject, type JsonObject } from "../base";
import { INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from "./json-rpc";

export const MODERN = "2026-07-28";
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
export type LegacyVersion = (typeof LEGACY)[number];
export const SUPPORTED: readonly string[] = [MODERN, ...LEGACY];

/** A key of `_meta` that the protocol defines. */
export const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`;
export const VERSION_KEY = metaKey("protocolVersion");
export const CAPABILITIES_KEY = metaKey("clientCapabilities");
export const SERVER_KEY = metaKey("serverInfo");

/** The revision for `initialize`: the requested one if it is supported, otherwise the newest with sessions. */
export function negotiated(version: string): LegacyVersion {
  return LEGACY.find((known) => known === version) ?? LEGACY[0];
}

export function legacyVersion(text: string): LegacyVersion | undefined {
  return LEGACY.find((known) => known === text);
}

export function metaOf(params: JsonObject): JsonObject | undefined {
  const meta = params["_meta"];
  return isObject(meta) ? (meta as JsonObject) : undefined;
}

/** The revision in `_meta` of a request, if any. */
export function namedVersion(params: JsonObject): string | undefined {
  const version = metaOf(params)?.[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

export function unsupported(requested: string): RpcError {
  return new RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", {
    data: { supported: [...SUPPORTED], requested },
    status: 400,
  });
}

/** The capabilities in `_meta` of a request. Throws `RpcError` if `_meta` is incomplete. */
export function declaredCapabilities(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  const capabilities = meta?.[CAPABILITIES_KEY];
  if (namedVersion(params) === undefined) throw missing(VERSION_KEY);
  if (!isObject(capabilities)) throw missing(CAPABILITIES_KEY);
  return capabilities as JsonObject;
}

function missing(key: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta must contain ${key}.`, { status: 400 });
}

/** Whether the client supports URL elicitation. */
export function supportsUrl(capabilities: JsonObject): boolean {
  const elicitation = capabilities["elicitation"];
  return isObject(elicitation) && isObject(elicitation["url"]);
}

/** Clients that take a text that is JSON for structured content, to help a server that sends none. */
const PARSE_TEXTS: readonly unknown[] = ["gemini-cli-mcp-client"];

/** Whether the client, by its name in `initialize`, takes texts that are JSON for structured content. */
export function parsesTexts({ clientInfo }: JsonObject): boolean {
  return isObject(clientInfo) && PARSE_TEXTS.includes(clientInfo["name"]);
}

/** Whether the client can ask its user with a form. An empty object means forms ("Elicitation", section "Capabilities"). */
export function supportsForms({ elicitation }: JsonObject): boolean {
  return isObject(elicitation) && (isObject(elicitation["form"]) || !isObject(elicitation["url"]));
}
