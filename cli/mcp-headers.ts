// The headers of a message that is sent to a gateway over HTTP. From 2026-07-28 on they repeat parts of the message
// ("Streamable HTTP", section "Request Metadata"); before, they are the session and its version.
import { isObject, type Json, type JsonObject } from "../src/base";
import { MODERN, namedVersion } from "../src/mcp";

/** The `inputSchema` of a tool by name; undefined for an unknown one. */
export type Schemas = (name: string) => unknown;

export interface LegacyState {
  session?: string;
  version?: string;
}

/** The protocol version of a message; undefined for one of a session. */
export function versionOf(value: Json): string | undefined {
  return isObject(value) && isObject(value["params"])
    ? namedVersion(value["params"] as JsonObject)
    : undefined;
}

export function sessionHeaders({ session, version }: LegacyState): Record<string, string> {
  return {
    ...(session === undefined ? {} : { "mcp-session-id": session }),
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  };
}

/** The headers that repeat the message. `schema`: of the tool that it calls. */
export function metadataHeaders(value: JsonObject, version: string, schema: unknown): Record<string, string> {
  const params = isObject(value["params"]) ? value["params"] : {};
  const name = value["method"] === "resources/read" ? params["uri"] : params["name"];
  return {
    "mcp-protocol-version": version,
    "mcp-method": String(value["method"]),
    ...(typeof name === "string" ? { "mcp-name": encoded(name) } : {}),
    ...(version === MODERN ? parameterHeaders(schema, params["arguments"]) : {}),
  };
}

/** The parameters that a schema marks with `x-mcp-header`, at any depth of `properties`. */
function parameterHeaders(schema: unknown, given: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const value = isObject(given) ? given[name] : undefined;
    const suffix = property["x-mcp-header"];
    if (typeof suffix !== "string") Object.assign(headers, parameterHeaders(property, value));
    else if (["string", "number", "boolean"].includes(typeof value))
      headers[`mcp-param-${suffix.toLowerCase()}`] = encoded(String(value));
  }
  return headers;
}

// Text that is not allowed in a header, or looks like Base64, is sent as Base64 ("Value Encoding").
function encoded(text: string): string {
  const plain = /^[\x21-\x7E](?:[\t\x20-\x7E]*[\x21-\x7E])?$/.test(text) && !text.startsWith("=?base64?");
  return plain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
