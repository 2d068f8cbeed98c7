// Sends events as the body of an answer. It waits for the first event, so that a failure before it is an ordinary error;
// a later failure is the last event.
import type { Core } from "../../core";
import { type RuntimeError, toRuntimeError } from "../../errors";
import { errorEvent } from "./events";

/** Interval of keep-alive comments in a silent stream: proxies may close silent connections. */
const KEEP_ALIVE_MS = 15_000;

const ENCODER = new TextEncoder();

export interface Endings {
  /** Called when the reader disconnects. */
  gone(): void;
  /** Called when the stream has ended, also when the reader disconnects. */
  ended?: (() => void) | undefined;
  /** The last events of a stream that fails; default: that of chat completions. */
  failed?(error: RuntimeError): string;
}

/** Rejects with a failure before the first event. */
export async function eventStream(
  { log }: Pick<Core, "log">,
  texts: AsyncGenerator<string, void>,
  { gone, ended, failed = errorEvent }: Endings,
  aliveMs = KEEP_ALIVE_MS,
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
          ended?.();
        };
        const alive = setInterval(() => send(": alive\n\n"), aliveMs);
        try {
          const next = first ?? (await texts.next());
          first = undefined;
          if (next.done === true) close();
          else send(next.value);
        } catch (thrown) {
          // A reader that disconnected needs no error.
          if (isOpen) log.warn("stream of a chat completion failed", { error: thrown });
          send(failed(toRuntimeError(thrown)));
          close();
        } finally {
          clearInterval(alive);
        }
      },
      cancel() {
        isOpen = false;
        gone();
        ended?.();
      },
    },
    { highWaterMark: 0 },
  );
}
