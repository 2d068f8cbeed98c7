// Client for servers with the chat completions protocol.
import { isObject, parseJson } from "../../base";
import type { Core } from "../../core";
import type { ModelServer } from "../server-of";
import { readEvents } from "../stream/read-events";
import { callStreaming, callWhole } from "./call";
import type { Loose, ModelClient } from "./client";
import { refusedInside, unanswered, unreadable } from "./failure";

export function openAiClient(core: Core, server: ModelServer): ModelClient {
  return {
    whole: async (body, options) => {
      const { value } = await callWhole(core, server, JSON.stringify(body), options);
      if (!Array.isArray(value["choices"]) || value["choices"].length === 0) {
        throw unreadable(server, 200, "no choices");
      }
      return value;
    },
    async *stream(body, options) {
      const bytes = await callStreaming(core, server, JSON.stringify(body), options);
      yield* chunksOf(server, bytes);
    },
  };
}

async function* chunksOf(
  server: ModelServer,
  bytes: ReadableStream<Uint8Array>,
): AsyncGenerator<Loose, void> {
  let complete = false;
  for await (const { data } of framesOf(server, bytes)) {
    if (data.trim() === "[DONE]") return;
    const chunk = chunkOf(server, data);
    if (chunk["error"] !== undefined && chunk["error"] !== null) throw refusedInside(server, chunk["error"]);
    complete ||= isFinished(chunk);
    yield chunk;
  }
  // Some servers end without `[DONE]`; a finish reason counts as well.
  if (!complete) throw unreadable(server, 200, "an incomplete stream");
}

/** The events of a body. Throws the error for the caller if reading fails. */
export async function* framesOf(server: ModelServer, bytes: ReadableStream<Uint8Array>) {
  const events = readEvents(bytes);
  try {
    for (;;) {
      const next = await events.next().catch((thrown: unknown) => {
        throw unanswered(server, thrown);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Closes the connection if the caller stops reading.
    await events.return().catch(() => undefined);
  }
}

export function chunkOf(server: ModelServer, data: string): Loose {
  try {
    const value = parseJson(data);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw unreadable(server, 200, "a stream of events that are not JSON");
}

/** Whether a chunk has a finish reason. */
export function isFinished({ choices }: Loose): boolean {
  return (
    Array.isArray(choices) && choices.some((one) => isObject(one) && typeof one["finish_reason"] === "string")
  );
}
