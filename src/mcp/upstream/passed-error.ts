// JSON-RPC errors of MCP servers, for clients of a gateway.
import { isObject, type Json } from "../../base";
import type { Reader } from "../answer-form";
import {
  HEADER_MISMATCH,
  INVALID_REQUEST,
  MISSING_CAPABILITY,
  PARSE_ERROR,
  RpcError,
  SESSION_NOT_FOUND,
  UNSUPPORTED_VERSION,
  URL_ELICITATION_REQUIRED,
} from "../json-rpc";

/** About the connection between this server and the other one: a client would take them for errors of its own connection. */
const OF_CONNECTION: readonly number[] = [
  PARSE_ERROR,
  INVALID_REQUEST,
  SESSION_NOT_FOUND,
  HEADER_MISMATCH,
  UNSUPPORTED_VERSION,
];

export interface SentError {
  code: number;
  message: string;
  data?: Json;
}

/** The error as the server's own clients get it; undefined if it is not theirs. */
export function passedError(
  { code, message, data }: SentError,
  reader: Reader,
  maxBytes: number,
): RpcError | undefined {
  if (!Number.isSafeInteger(code) || OF_CONNECTION.includes(code)) return undefined;
  if (code === URL_ELICITATION_REQUIRED && !reader.opensUrls) return undefined;
  if (code === MISSING_CAPABILITY && !isMissing(data, reader)) return undefined;
  const text =
    Buffer.byteLength(message) <= maxBytes ? message : `${message.slice(0, Math.floor(maxBytes / 4))}…`;
  const isShort = data === undefined || Buffer.byteLength(JSON.stringify(data)) <= maxBytes;
  return new RpcError(code, text, {
    ...(data === undefined || !isShort ? {} : { data }),
    ...(code === MISSING_CAPABILITY ? { status: 400 } : {}),
  });
}

/** Whether the client lacks what the server asks for. Otherwise it is this server that does not pass the capability on. */
function isMissing(data: Json | undefined, { modern, declared }: Reader): boolean {
  const required = isObject(data) ? data["requiredCapabilities"] : undefined;
  if (!modern || !isObject(required)) return false;
  const names = Object.keys(required);
  return names.length > 0 && names.every((name) => declared[name] === undefined);
}
