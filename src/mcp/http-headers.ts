// Headers that repeat parts of a request in revision 2026-07-28 ("Streamable HTTP", sections "Request Metadata" and "Server
// Validation"). Proxies rely on them, so they must match the body.
import { isObject, type JsonObject } from "../base";
import { HEADER_MISMATCH, RpcError } from "./json-rpc";

/** Returns the value of a header, or null. */
export type HeaderReader = (name: string) => string | null;

const ENCODED = /^=\?base64\?(.*)\?=$/;
/** What a header may hold without encoding ("Value Encoding"). */
const PLAIN = /^[\t\x20-\x7E]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Throws `RpcError` if the method or name differs from the body. */
export function checkHeaders(header: HeaderReader, method: string, params: JsonObject): void {
  if (header("mcp-method") !== method) throw mismatch("Mcp-Method", "method");
  const named = method === "prompts/get" || method === "tools/call" ? params["name"] : params["uri"];
  if (!["tools/call", "resources/read", "prompts/get"].includes(method) || typeof named !== "string") return;
  if (decoded(header("mcp-name")) !== named) throw mismatch("Mcp-Name", "name");
}

/** Throws `RpcError` if the revision differs from `_meta`. */
export function checkVersionHeader(header: HeaderReader, version: string | undefined): void {
  const given = header("mcp-protocol-version");
  if (given === null || (version !== undefined && given !== version)) {
    throw mismatch("MCP-Protocol-Version", "protocol version");
  }
}

/** Throws `RpcError` if a parameter that the schema marks with `x-mcp-header` differs from its header. */
export function checkParameters(header: HeaderReader, schema: unknown, given: unknown): void {
  if (!isObject(schema) || !isObject(schema["properties"])) return;
  for (const [name, property] of Object.entries(schema["properties"])) {
    if (!isObject(property)) continue;
    const value = isObject(given) ? given[name] : undefined;
    const suffix = property["x-mcp-header"];
    if (typeof suffix === "string") checkParameter(header, `mcp-param-${suffix}`, value);
    else checkParameters(header, property, value);
  }
}

function checkParameter(header: HeaderReader, name: string, value: unknown): void {
  const sent = header(name);
  if (value === undefined || value === null) {
    if (sent !== null) throw mismatch(name, "parameter");
    return;
  }
  const text = decoded(sent);
  // Decimal only: `0x2A` and `4.2e1` are other texts to readers of the header.
  const same =
    typeof value === "number"
      ? text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
      : text === String(value);
  if (!same) throw mismatch(name, "parameter");
}

/** Undefined if the value is absent or wrongly encoded. */
function decoded(value: string | null): string | undefined {
  if (value === null) return undefined;
  const [, body] = ENCODED.exec(value) ?? [];
  if (body === undefined) return PLAIN.test(value) ? value : undefined;
  if (!BASE64.test(body)) return undefined;
  try {
    return UTF_8.decode(Buffer.from(body, "base64"));
  } catch {
    return undefined;
  }
}

function mismatch(header: string, part: string): RpcError {
  return new RpcError(
    HEADER_MISMATCH,
    `Header mismatch: ${header} is missing or differs from the body's ${part}.`,
    {
      status: 400,
    },
  );
}
