// JSON-RPC 2.0 as MCP uses it: what a message is, and how replies are written.
import { isObject, type Json, type JsonObject } from "../base";

export type RequestId = string | number;

export type RpcMessage =
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  /** An answer to something that we never ask. */
  | { kind: "response" };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Of the revisions until 2025-11-25; no revision says it, all implementations do. */
export const SESSION_NOT_FOUND = -32001;
/** Revision 2025-11-25, elicitation, "URL Elicitation Required Error". */
export const URL_ELICITATION_REQUIRED = -32042;
/** Revision 2026-07-28, "Error Codes". */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** A refusal as the client gets it. `status` is the one over HTTP. */
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

/** What goes back: a reply as JSON text, or nothing (the message asked for none). */
export interface Reply {
  status: number;
  text: string | undefined;
  /** The session that `initialize` began. */
  sessionId?: string;
}

export const ACCEPTED: Reply = { status: 202, text: undefined };

/** Reads one message. Throws `RpcError` for anything else, lists of messages included. */
export function readMessage(value: Json): RpcMessage {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") throw invalid("The message is no JSON-RPC 2.0 object.");
  const { id, method, params } = value;
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "response" };
  if (typeof method !== "string") throw invalid("The message names no method.");
  if (params !== undefined && params !== null && !isObject(params))
    throw invalid("params must be an object.");
  // The value is JSON, and so is every part of it.
  const given = (params ?? {}) as JsonObject;
  if (id === undefined) return { kind: "notification", method, params: given };
  if (typeof id !== "string" && typeof id !== "number")
    throw invalid("id must be a text or a number, not null.");
  return { kind: "request", id, method, params: given };
}

/** The id of a request; undefined for what asks for no answer. */
export function requestIdOf(value: Json): RequestId | undefined {
  const id = isObject(value) && "method" in value ? value["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status: 400 });
}

/** A reply whose result is JSON text already. */
export function resultReply(id: RequestId, result: string): Reply {
  return { status: 200, text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` };
}

/** The refusal of a request; of what is no request, without an id. */
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
