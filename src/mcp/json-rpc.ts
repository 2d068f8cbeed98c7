// JSON-RPC 2.0 for MCP: reads messages and writes replies.
import { isObject, type Json, type JsonObject } from "../base";

export type RequestId = string | number;

export type RpcMessage =
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  /** A response, which this server never needs. */
  | { kind: "response" };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** For revisions until 2025-11-25. Not in the specification, but all implementations use it. */
export const SESSION_NOT_FOUND = -32001;
/** Revision 2025-11-25, elicitation, "URL Elicitation Required Error". */
export const URL_ELICITATION_REQUIRED = -32042;
/** Revision 2026-07-28, "Error Codes". */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** An error reply to the client. `status` is the HTTP status. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;
  readonly status: number;

  constructor(
    code: number,
    message: string,
    { data, status = 200 }: { data?: JsonObject; status?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** A reply as JSON text, without text if the message needs none. */
export interface Reply {
  status: number;
  text: string | undefined;
  /** The session that `initialize` started. */
  sessionId?: string;
}

export const ACCEPTED: Reply = { status: 202, text: undefined };

/** Reads one message. Throws `RpcError` for anything else, including batches. */
export function readMessage(value: Json): RpcMessage {
  if (!isObject(value) || value["jsonrpc"] !== "2.0")
    throw invalid("The message is not a JSON-RPC 2.0 object.");
  const { id, method, params } = value;
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "response" };
  if (typeof method !== "string") throw invalid("The message has no method.");
  if (params !== undefined && params !== null && !isObject(params))
    throw invalid("params must be an object.");
  // Every part of a JSON value is JSON.
  const given = (params ?? {}) as JsonObject;
  if (id === undefined) return { kind: "notification", method, params: given };
  if (typeof id !== "string" && typeof id !== "number")
    throw invalid("id must be a string or a number, not null.");
  return { kind: "request", id, method, params: given };
}

/** The id of a request; undefined for other messages. */
export function requestIdOf(value: Json): RequestId | undefined {
  const id = isObject(value) && "method" in value ? value["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status: 400 });
}

/** A reply whose result is already JSON text. */
export function resultReply(id: RequestId, result: string): Reply {
  return { status: 200, text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` };
}

/** An error reply. The id is undefined if the message is not a request. */
export function errorReply(id: RequestId | undefined, error: RpcError): Reply {
  const { code, message, data, status } = error;
  const body = {
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
  return { status, text: JSON.stringify(body) };
}

export function notificationText(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}
