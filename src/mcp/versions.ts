// Revisions of the protocol, and which of the two families a message is of: until 2025-11-25 a session begins with
// `initialize`; since 2026-07-28 each request says in `_meta` what it needs.
import { isObject, type JsonObject } from "../base";
import { INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from "./json-rpc";

export const MODERN = "2026-07-28";
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
export type LegacyVersion = (typeof LEGACY)[number];
export const SUPPORTED: readonly string[] = [MODERN, ...LEGACY];

const META = "io.modelcontextprotocol";
export const VERSION_KEY = `${META}/protocolVersion`;
export const CAPABILITIES_KEY = `${META}/clientCapabilities`;
export const SERVER_KEY = `${META}/serverInfo`;

/** The revision for a client of the first family that asks for `version`: that one, or the newest of the family. */
export function negotiated(version: unknown): LegacyVersion {
  return LEGACY.find((known) => known === version) ?? LEGACY[0];
}

export function legacyVersion(text: string): LegacyVersion | undefined {
  return LEGACY.find((known) => known === text);
}

export function metaOf(params: JsonObject): JsonObject | undefined {
  const meta = params["_meta"];
  return isObject(meta) ? (meta as JsonObject) : undefined;
}

/** The revision that a request itself names (second family); undefined: none. */
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

/** What the client of a request of the second family can do. Throws `RpcError` when `_meta` lacks what it must have. */
export function declaredCapabilities(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  const capabilities = meta?.[CAPABILITIES_KEY];
  if (namedVersion(params) === undefined) throw missing(VERSION_KEY);
  if (!isObject(capabilities)) throw missing(CAPABILITIES_KEY);
  return capabilities as JsonObject;
}

function missing(key: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta must hold ${key}.`, { status: 400 });
}

/** Whether the client can send its user to an address: elicitation in URL mode. */
export function asksByUrl(capabilities: JsonObject): boolean {
  const elicitation = capabilities["elicitation"];
  return isObject(elicitation) && isObject(elicitation["url"]);
}
