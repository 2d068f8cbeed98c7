// Client for servers with the messages protocol.
import type { Core } from "../../../core";
import type { ModelServer } from "../../server-of";
import { callStreaming, callWhole } from "../call";
import type { Loose, ModelClient } from "../client";
import { MessagesReader } from "../../stream/reader";
import { faultsOf, unreadable } from "../failure";
import { wellFormedChunks } from "../openai";
import { BlockSource, recordsOf } from "../records";
import { completionOf } from "./answer";
import { anthropicRequest } from "./request";
import { ChunksOf } from "./stream";

export function anthropicClient(core: Core, server: ModelServer): ModelClient {
  const now = (): number => Math.floor(core.clock.now() / 1000);
  return {
    whole: async (body, options) => {
      const request = JSON.stringify(anthropicRequest(body, server, false));
      const { value } = await callWhole(core, server, request, { ...options, model: body["model"] });
      if (value["type"] !== "message") throw unreadable(server, 200, "something that is not a message");
      return completionOf(value, now());
    },
    async *stream(body, options) {
      const request = JSON.stringify(anthropicRequest(body, server, true));
      const bytes = await callStreaming(core, server, request, { ...options, model: body["model"] });
      const records = recordsOf(
        new BlockSource(core, server, bytes, options),
        new MessagesReader(faultsOf(server)),
      );
      yield* wellFormedChunks(chunks(records, new ChunksOf(now())));
    },
  };
}

async function* chunks(
  records: AsyncGenerator<Loose, void>,
  translation: ChunksOf,
): AsyncGenerator<Loose, void> {
  for await (const record of records) yield* translation.add(record);
}
