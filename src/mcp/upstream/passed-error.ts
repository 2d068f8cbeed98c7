// JSON-RPC errors of MCP servers, for clients of a gateway.
import type { Json } from "../../base";
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
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
];

export interface SentError {
  code: number;
  message: string;
  data?: Json;
}

/**
 * The error as the server's own clients get it; undefined if it is not theirs.
 *
 * @param opensUrls whether the client opens addresses that an error asks for
 */
export function passedError(
  { code, message, data }: SentError,
  { opensUrls, maxBytes }: { opensUrls: boolean; maxBytes: number },
): RpcError | undefined {
  if (!Number.isSafeInteger(code) || OF_CONNECTION.includes(code)) return undefined;
  if (code === URL_ELICITATION_REQUIRED && !opensUrls) return undefined;
  const text =
    Buffer.byteLength(message) <= maxBytes ? message : `${message.slice(0, Math.floor(maxBytes / 4))}…`;
  const isShort = data === undefined || Buffer.byteLength(JSON.stringify(data)) <= maxBytes;
  return new RpcError(code, text, data === undefined || !isShort ? {} : { data });
}
