// Client for servers with the chat completions protocol.
import type { Core } from "../../core";
import { withParts } from "../content-parts";
import type { ModelServer } from "../server-of";
import { Halves } from "../stream/halves";
import { ChatReader } from "../stream/reader";
import { callStreaming, callWhole } from "./call";
import type { ChatBody, Loose, ModelClient } from "./client";
import { faultsOf, unreadable } from "./failure";
import { BlockSource, recordsOf } from "./records";

export function openAiClient(core: Core, server: ModelServer): ModelClient {
  return {
    whole: async (body, options) => {
      const { value } = await callWhole(core, server, textOf(body), { ...options, model: body["model"] });
      if (!Array.isArray(value["choices"]) || value["choices"].length === 0) {
        throw unreadable(server, 200, "no choices");
      }
      return value;
    },
    async *stream(body, options) {
      const bytes = await callStreaming(core, server, textOf(body), { ...options, model: body["model"] });
      yield* wellFormedChunks(
        recordsOf(new BlockSource(core, server, bytes, options), new ChatReader(faultsOf(server))),
      );
    },
  };
}

function textOf(body: ChatBody): string {
  return JSON.stringify({ ...body, messages: withParts(body.messages) });
}

export async function* wellFormedChunks(chunks: AsyncGenerator<Loose, void>): AsyncGenerator<Loose, void> {
  const halves = new Halves();
  for await (const chunk of chunks) yield halves.chunk(chunk);
  const last = halves.end();
  if (last !== undefined) yield last;
}
