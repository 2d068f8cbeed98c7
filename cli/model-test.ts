// `runtime models test`: one short request to a language model.
import type { ClientCall } from "./client/client";
import { getEntry, streamChat } from "./client/models";
import { UsageError } from "./errors";
import { printRecord, type Shape } from "./output";
import { withProgress } from "./progress";

interface ModelTest {
  model: string;
  ok: boolean;
  answer: string;
  duration_ms: number;
}

const REQUEST = { messages: [{ role: "user", content: "Reply with the word OK." }], stream: true };

const SHAPE: Shape<ModelTest> = {
  name: ({ model }) => model,
  columns: [
    { title: "model", keep: "always", value: ({ model }) => model },
    { title: "ms", keep: "whole", value: ({ duration_ms }) => String(Math.round(duration_ms)) },
    { title: "answer", value: ({ answer }) => answer },
  ],
};

/** Throws `not_found` for an unknown entry, and the error of the server of the model. */
export async function testModel(
  { io, common, client }: ClientCall,
  id: string,
  named: string | undefined,
): Promise<void> {
  const { models } = await getEntry(client, id);
  const [first = named] = models;
  const chosen = named ?? first;
  if (chosen === undefined)
    throw new UsageError(
      `The entry ${id} takes any model. Name one: runtime models test ${id} --model MODEL`,
    );
  const model = `${id}/${chosen}`;
  const start = performance.now();
  const answer = await withProgress(io, `Asking ${model}`, answerOf());
  printRecord(io, common, { model, ok: true, answer, duration_ms: performance.now() - start }, SHAPE);

  async function answerOf(): Promise<string> {
    const { readTurn } = await import("../src/llm");
    const reading = readTurn(await streamChat(client, { ...REQUEST, model }), () => false);
    for (;;) {
      const next = await reading.next();
      if (next.done === true) return next.value.text;
    }
  }
}
