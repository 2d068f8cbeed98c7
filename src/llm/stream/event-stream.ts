// Texts of events as the body of an answer: the first is waited for, so that what fails before it is an error like any
// other; what fails later is the last event.
import type { Core } from "../../core";
import { toRuntimeError } from "../../errors";
import { errorEvent } from "./events";

/** So often a stream in which nothing happens says that it is alive: what stands between may close silent connections. */
const ALIVE_MS = 15_000;

const ENCODER = new TextEncoder();

/** `gone`: the reader has hung up. Rejects with what fails before the first event. */
export async function eventStream(
  { log }: Pick<Core, "log">,
  texts: AsyncGenerator<string, void>,
  gone: () => void,
  aliveMs = ALIVE_MS,
): Promise<ReadableStream<Uint8Array>> {
  let first: IteratorResult<string, void> | undefined = await texts.next();
  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string): void => {
          if (isOpen) controller.enqueue(ENCODER.encode(text));
        };
        const close = (): void => {
          if (isOpen) controller.close();
          isOpen = false;
        };
        const alive = setInterval(() => send(": alive\n\n"), aliveMs);
        try {
          const next = first ?? (await texts.next());
          first = undefined;
          if (next.done === true) close();
          else send(next.value);
        } catch (thrown) {
          // Whoever has hung up knows.
          if (isOpen) log.warn("stream of a chat completion failed", { error: thrown });
          send(errorEvent(toRuntimeError(thrown)));
          close();
        } finally {
          clearInterval(alive);
        }
      },
      cancel() {
        isOpen = false;
        gone();
      },
    },
    { highWaterMark: 0 },
  );
}
