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
  { log, telemetry }: Pick<Core, "log" | "telemetry">,
  texts: AsyncGenerator<string, void>,
  { gone, ended, failed = errorEvent }: Endings,
  aliveMs = KEEP_ALIVE_MS,
): Promise<ReadableStream<Uint8Array>> {
  const first = await texts.next();
  const caller = { disconnected: false };
  const failure = (thrown: unknown): string => {
    log.warn("stream of a chat completion failed", { error: thrown });
    return failed(toRuntimeError(thrown));
  };
  return new ReadableStream<Uint8Array>({
    // Bun's own type: writes without a queue.
    type: "direct",
    // The engine pulls, and it does not know for which request.
    pull: telemetry.bound(async (controller: ReadableStreamDirectController) => {
      await pipe(first, texts, controller, { caller, failure, aliveMs });
      if (!caller.disconnected) ended?.();
    }),
    cancel: () => {
      caller.disconnected = true;
      gone();
      ended?.();
    },
  });
}

interface Piping {
  caller: { readonly disconnected: boolean };
  /** The last events for a failure. */
  failure(thrown: unknown): string;
  aliveMs: number;
}

async function pipe(
  first: IteratorResult<string, void>,
  texts: AsyncGenerator<string, void>,
  controller: ReadableStreamDirectController,
  { caller, failure, aliveMs }: Piping,
): Promise<void> {
  let isSilent = false;
  // Waits until the connection has taken it: nothing piles up for a slow reader.
  const send = async (text: string): Promise<void> => {
    controller.write(ENCODER.encode(text));
    await controller.flush(true);
  };
  const alive = setInterval(() => {
    if (isSilent && !caller.disconnected) void send(": alive\n\n");
  }, aliveMs);
  try {
    for (let next = first; next.done !== true && !caller.disconnected; next = await texts.next()) {
      isSilent = false;
      await send(next.value);
      isSilent = true;
    }
  } catch (thrown) {
    // A reader that disconnected needs no error.
    if (!caller.disconnected) await send(failure(thrown));
  } finally {
    clearInterval(alive);
  }
  if (!caller.disconnected) controller.end();
}
