// Reads the messages of a server.
import { endOfString, exceededLimit, isObject, type Json, type JsonObject, parseJson } from "../../base";
import { ProtocolError, ServerError } from "./failure";

/** A message of a server: a reply to our request, its own request, or a notification. */
export type ServerMessage =
  | { kind: "reply"; reply: JsonObject }
  | { kind: "request"; id: Json; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject };

/**
 * Throws `ProtocolError` for a text that is not JSON, or is nested more deeply than it can be parsed.
 *
 * @param isList of a list, parts that are nested too deeply become `null`: the entry that has them is not worth the others
 */
export function parsed(text: string, isList = false): Json {
  const isDeep = text.length > 2 * DEEPEST && exceededLimit(text, LIMITS) !== undefined;
  if (isDeep && !isList) throw new ProtocolError("The server sent JSON that is nested too deeply.");
  try {
    return parseJson(isDeep ? pruned(text) : text);
  } catch {
    throw new ProtocolError("The server sent something that is not JSON.");
  }
}

/** Levels; one more than a schema may have would be enough. */
const DEEPEST = 900;
const LIMITS = { depth: DEEPEST, members: Infinity, keys: Infinity, entries: Infinity };

/** The text with `null` in place of everything below the deepest level. */
function pruned(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      if (++depth === DEEPEST + 1) parts.push(text.slice(copied, at), "null");
    } else if ((character === "}" || character === "]") && depth-- === DEEPEST + 1) copied = at + 1;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** Throws `ProtocolError` for a value that is not a message. */
export function messageOf(value: Json): ServerMessage {
  if (!isObject(value) || value["jsonrpc"] !== "2.0")
    throw new ProtocolError("The server sent something that is not a JSON-RPC 2.0 message.");
  const { id, method } = value;
  if (typeof method !== "string") return { kind: "reply", reply: value };
  const params = isObject(value["params"]) ? (value["params"] as JsonObject) : {};
  // The id is JSON, as all members are.
  return id === undefined
    ? { kind: "notification", method, params }
    : { kind: "request", id: id as Json, method, params };
}

/**
 * The result in a reply. Throws `ServerError` for an error, and `ProtocolError` for a reply to another request: a server must
 * not answer what it was not asked.
 */
export function resultOf(reply: JsonObject, id: number, status: number): JsonObject {
  const { error, result } = reply;
  if (isObject(error)) {
    // An error may have no id, or null, if the server could not read the request.
    if (reply["id"] !== id && reply["id"] !== undefined && reply["id"] !== null) throw ofAnother();
    throw serverError(error, status);
  }
  if (reply["id"] !== id) throw ofAnother();
  if (!isObject(result)) throw new ProtocolError("The server's reply has neither a result nor an error.");
  return result as JsonObject;
}

function ofAnother(): ProtocolError {
  return new ProtocolError("The server's reply has the id of another request.");
}

function serverError({ code, message, data }: { [key: string]: unknown }, status: number): ServerError {
  if (typeof code !== "number") throw new ProtocolError("The server's error has no code.");
  return new ServerError(code, typeof message === "string" ? message : "", {
    data: data as Json | undefined,
    status,
  });
}

/** The JSON-RPC error in the body of an HTTP error; undefined if it has none. */
export function errorIn(text: string, id: number, status: number): ServerError | undefined {
  try {
    const message = messageOf(parsed(text));
    if (message.kind === "reply") resultOf(message.reply, id, status);
  } catch (thrown) {
    if (thrown instanceof ServerError) return thrown;
    if (!(thrown instanceof ProtocolError)) throw thrown;
  }
  return undefined;
}
