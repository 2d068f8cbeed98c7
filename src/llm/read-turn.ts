// Reads one turn of a streamed chat completion: for commands that run in this process and for those that connect to a
// server.
import { internalError, RuntimeError } from "../errors";
import { type Delta, streamTurn, type Turn } from "./loop/turn";
import { messageIn } from "./stream/error-record";
import { readEvents } from "./stream/read-events";
import { ChatReader } from "./stream/reader";
import type { Loose } from "./upstream/client";
import { wellFormedChunks } from "./upstream/openai";

/** Throws the error at the end of the stream. */
export function readTurn(
  events: ReadableStream<Uint8Array>,
  isName: (name: string) => boolean,
): AsyncGenerator<Delta, Turn> {
  return streamTurn(wellFormedChunks(chunksOf(events)), isName);
}

async function* chunksOf(events: ReadableStream<Uint8Array>): AsyncGenerator<Loose, void> {
  const reader = new ChatReader({
    refused: errorOf,
    unreadable: () => internalError("The answer was cut off. Try again."),
  });
  for await (const event of readEvents(events)) {
    const chunk = reader.read(event);
    if (chunk !== undefined) yield chunk;
    if (reader.isOver) return;
  }
  reader.finish();
}

function errorOf(error: unknown): RuntimeError {
  const text = messageIn(error) ?? "The answer ended with an error.";
  const isLate =
    typeof error === "object" && error !== null && "code" in error && error.code === "gateway_timeout";
  return isLate ? new RuntimeError("gateway_timeout", 504, text) : internalError(text);
}
