// JSON-RPC 2.0 for MCP: reads messages and writes replies.
import { isObject, type Json, type JsonObject, memberText } from "../base";

/** The JSON text of an id or a progress token, which comes back byte for byte. */
export type RequestId = string;

export type RpcMessage =
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  /** The answer to a question of this server. */
  | { kind: "response"; id: Json; result: Json | undefined; error: Json | undefined };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** For revisions until 2025-11-25. Not in the specification, but all implementations use it. */
export const SESSION_NOT_FOUND = -32001;
/** Revision 2025-11-25, elicitation, "URL Elicitation Required Error". */
export const URL_ELICITATION_REQUIRED = -32042;
/** The user must consent first. Outside of the codes that JSON-RPC and MCP reserve; the message has the address. */
export const CONSENT_NEEDED = 403;
/** Of a resource, in revisions until 2025-11-25; later ones have `INVALID_PARAMS`. */
export const RESOURCE_NOT_FOUND = -32002;
/** Revision 2026-07-28, "Error Codes". */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

interface RpcErrorDetails {
  data?: Json;
  /** The HTTP status. */
  status?: number;
  /** When the client may send the message again. */
  retryAfterMs?: number | undefined;
}

/** An error reply to the client. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(code: number, message: string, { data, status = 200, retryAfterMs }: RpcErrorDetails = {}) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A reply as JSON text, without text if the message needs none. */
export interface Reply {
  status: number;
  text: string | undefined;
  /** The session that `initialize` started. */
  sessionId?: string;
  /** Of an error: when the client may send the message again. */
  retryAfterMs?: number;
}

export const ACCEPTED: Reply = { status: 202, text: undefined };

/** Reads one message, also given as text. Throws `RpcError` for anything else, including batches. */
export function readMessage(value: Json, text: string): RpcMessage {
  if (!isObject(value) || value["jsonrpc"] !== "2.0")
    throw invalid("The message is not a JSON-RPC 2.0 object.");
  const { id, method, params } = value;
  // Every part of a JSON value is JSON.
  const { result, error } = value as JsonObject;
  if (method === undefined && (result !== undefined || error !== undefined))
    return { kind: "response", id: (id ?? null) as Json, result, error };
  if (typeof method !== "string") throw invalid("The message has no method.");
  const requestId = requestIdOf(value, text);
  if (id !== undefined && requestId === undefined)
    throw invalid("id must be a string or an integer, not null.");
  if (params !== undefined && params !== null && !isObject(params))
    throw new RpcError(INVALID_PARAMS, "params must be an object.", { status: 400 });
  // Every part of a JSON value is JSON.
  const given = (params ?? {}) as JsonObject;
  if (requestId === undefined) return { kind: "notification", method, params: given };
  return { kind: "request", id: requestId, method, params: given };
}

/** The id of a message; undefined if it has none that can be read. */
export function requestIdOf(value: Json, text: string): RequestId | undefined {
  return isObject(value) ? identifierIn(value["id"], () => memberText(text, "id")) : undefined;
}

/** Whether a message, right or wrong, gets no reply on a transport without statuses. */
export function isNotification(value: Json): boolean {
  return isObject(value) && typeof value["method"] === "string" && value["id"] === undefined;
}

/**
 * The JSON text of a string or an integer; undefined for any other value. `read` finds the text, which is needed for numbers
 * and for what may be one: the parser turns long integers into strings.
 */
export function identifierIn(value: unknown, read: () => string | undefined): string | undefined {
  if (typeof value === "string") return /^-?\d{16,}$/.test(value) ? read() : JSON.stringify(value);
  return typeof value === "number" && Number.isInteger(value) ? read() : undefined;
}

/** `modern`: revision 2026-07-28. */
export function noSuchMethod(modern: boolean): RpcError {
  return new RpcError(METHOD_NOT_FOUND, "Method not found", modern ? { status: 404 } : {});
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status: 400 });
}

/** A reply whose result is already JSON text. */
export function resultReply(id: RequestId, result: string): Reply {
  return { status: 200, text: `{"jsonrpc":"2.0","id":${id},"result":${result}}` };
}

/** An error reply. The id is undefined if it cannot be read. */
export function errorReply(id: RequestId | undefined, error: RpcError): Reply {
  const { code, message, data, status, retryAfterMs } = error;
  const body = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  const text = `{"jsonrpc":"2.0",${id === undefined ? "" : `"id":${id},`}"error":${body}}`;
  return { status, text, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** `params`: JSON without the outer braces. */
export function progressText(params: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/progress","params":{${params}}}`;
}
