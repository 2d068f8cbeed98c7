// Reads one turn of a streamed chat completion: for commands that run in this process and for those that connect to a
// server.
import { isObject, parseJson } from "../base";
import { internalError, RuntimeError } from "../errors";
import { type Delta, streamTurn, type Turn } from "./loop/turn";
import { readEvents } from "./stream/read-events";
import type { Loose } from "./upstream/client";
import { isFinished } from "./upstream/openai";

/** Throws the error at the end of the stream. */
export function readTurn(
  events: ReadableStream<Uint8Array>,
  isName: (name: string) => boolean,
): AsyncGenerator<Delta, Turn> {
  return streamTurn(chunksOf(events), isName);
}

async function* chunksOf(events: ReadableStream<Uint8Array>): AsyncGenerator<Loose, void> {
  let complete = false;
  for await (const { data } of readEvents(events)) {
    if (data === "[DONE]") return;
    const chunk = parseJson(data);
    if (!isObject(chunk)) continue;
    if (isObject(chunk["error"])) throw errorOf(chunk["error"]);
    complete ||= isFinished(chunk);
    yield chunk;
  }
  // Some servers end without `[DONE]`; a finish reason counts as well.
  if (!complete) throw internalError("The answer was cut off. Try again.");
}

function errorOf({ message, code }: Loose): RuntimeError {
  const text = typeof message === "string" ? message : "The answer ended with an error.";
  return code === "gateway_timeout" ? new RuntimeError("gateway_timeout", 504, text) : internalError(text);
}
