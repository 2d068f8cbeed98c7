// Client for servers with the messages protocol.
import type { Core } from "../../../core";
import type { ModelServer } from "../../server-of";
import { callStreaming, callWhole } from "../call";
import type { Loose, ModelClient } from "../client";
import { refusedInside, unreadable } from "../failure";
import { chunkOf, framesOf } from "../openai";
import { completionOf } from "./answer";
import { anthropicRequest } from "./request";
import { ChunksOf } from "./stream";

export function anthropicClient(core: Core, server: ModelServer): ModelClient {
  const now = (): number => Math.floor(core.clock.now() / 1000);
  return {
    whole: async (body, options) => {
      const request = JSON.stringify(anthropicRequest(body, server, false));
      const { value } = await callWhole(core, server, request, options);
      if (value["type"] !== "message") throw unreadable(server, 200, "something that is not a message");
      return completionOf(value, now());
    },
    async *stream(body, options) {
      const request = JSON.stringify(anthropicRequest(body, server, true));
      yield* chunks(server, await callStreaming(core, server, request, options), new ChunksOf(now()));
    },
  };
}

async function* chunks(
  server: ModelServer,
  bytes: ReadableStream<Uint8Array>,
  translation: ChunksOf,
): AsyncGenerator<Loose, void> {
  for await (const { data } of framesOf(server, bytes)) {
    const event = chunkOf(server, data);
    if (event["type"] === "error") throw refusedInside(server, event["error"]);
    yield* translation.add(event);
    if (translation.isOver) return;
  }
  throw unreadable(server, 200, "an incomplete stream");
}
