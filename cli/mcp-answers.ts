// Reads what a gateway answers: messages of JSON-RPC, alone or in a stream.
import { isObject, type JsonObject, parseJson } from "../src/base";
import { eventData } from "./server-events";

export async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    yield* eventData(response.body ?? new ReadableStream());
    return;
  }
  const text = await response.text();
  if (text !== "") yield text;
}

export async function firstOf(response: Response): Promise<string> {
  for await (const text of messagesOf(response)) return text;
  return "";
}

export function messageIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && value["jsonrpc"] === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

export function codeOf(reply: JsonObject | undefined): unknown {
  const error = reply?.["error"];
  return isObject(error) ? error["code"] : undefined;
}

/** The error message of a response that is not an MCP message. */
export function errorIn(text: string, status: number): string {
  try {
    const value = parseJson(text);
    if (isObject(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // Not JSON.
  }
  return `The server answered ${status} without a message.`;
}

/** A message must not contain line ends on standard output; in JSON text they are only between tokens. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}
