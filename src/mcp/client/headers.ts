// The headers of a message that is sent over HTTP. From 2026-07-28 on they repeat parts of the message ("Streamable HTTP",
// section "Request Metadata"); before, they are the session and its version.
import { isObject, type JsonObject } from "../../base";
import { MODERN } from "../versions";

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
    const value = isObject(given) && Object.hasOwn(given, name) ? given[name] : undefined;
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

/** A name that may follow `Mcp-Param-` (RFC 9110, section 5.6.2, "token"). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];
/** Keywords whose schemas are not parameters at a known place. */
const ELSEWHERE = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "patternProperties",
  "dependentSchemas",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "$defs",
  "definitions",
];
const OF_NAMES = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"]);

/**
 * What is wrong with the `x-mcp-header` marks of an input schema; undefined if nothing is. Clients must leave such a tool out
 * ("Streamable HTTP", section "Schema Extension"). The schema's depth was checked.
 */
export function headerFault(schema: unknown): string | undefined {
  return isObject(schema) && Object.hasOwn(schema, "x-mcp-header")
    ? ONLY_PARAMETERS
    : faultIn(schema, new Set());
}

const ONLY_PARAMETERS = "only parameters may have x-mcp-header";

/** `seen`: the names of the parameters' headers; undefined below a schema that is not a parameter at a known place. */
function faultIn(schema: unknown, seen: Set<string> | undefined): string | undefined {
  if (!isObject(schema)) return undefined;
  for (const inner of Object.values(isObject(schema["properties"]) ? schema["properties"] : {})) {
    const fault = markFault(inner, seen) ?? faultIn(inner, seen);
    if (fault !== undefined) return fault;
  }
  for (const keyword of ELSEWHERE) {
    for (const inner of schemasOf(keyword, schema[keyword])) {
      const fault = markFault(inner, undefined) ?? faultIn(inner, undefined);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function schemasOf(keyword: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) && OF_NAMES.has(keyword) ? Object.values(value) : [value];
}

function markFault(schema: unknown, seen: Set<string> | undefined): string | undefined {
  if (!isObject(schema) || !Object.hasOwn(schema, "x-mcp-header")) return undefined;
  if (seen === undefined) return ONLY_PARAMETERS;
  const { type, "x-mcp-header": name } = schema;
  if (typeof name !== "string" || !TOKEN.test(name)) return "x-mcp-header is not a valid name of a header";
  if (typeof type !== "string" || !TYPES.includes(type)) {
    return "only parameters of type string, integer and boolean may have x-mcp-header";
  }
  if (seen.has(name.toLowerCase())) return `two parameters have the x-mcp-header ${name}`;
  seen.add(name.toLowerCase());
  return undefined;
}
