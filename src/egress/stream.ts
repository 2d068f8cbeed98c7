// A body that reaches the caller as it arrives. The limits of time and size hold while it is read.
import type { ReadBody } from "./exchange";
import { largerThan, type Limits } from "./limits";
import type { EgressError } from "./types";

/**
 * The body piece by piece. Its deadline starts again with every piece and ends with the body: read to its end, broken,
 * or cancelled by the reader, which closes the connection.
 */
export const asItComes: ReadBody = (head, limits, origin, failed) => {
  limits.deadline.restart();
  if (head.body === null) {
    finish(limits);
    return null;
  }
  return pieces(head.body, limits, origin, failed);
};

function pieces(
  body: ReadableStream<Uint8Array>,
  limits: Limits,
  origin: string,
  failed: (thrown: unknown) => EgressError,
): ReadableStream<Uint8Array> {
  const { deadline, maxBytes } = limits;
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish(limits);
            controller.close();
            return;
          }
          size += value.byteLength;
          if (size > maxBytes) throw largerThan(maxBytes, limits.sizeAdvice(), origin);
          deadline.restart();
          controller.enqueue(value);
        } catch (thrown) {
          const failure = failed(thrown);
          deadline[Symbol.dispose]();
          controller.error(failure);
        }
      },
      cancel() {
        deadline[Symbol.dispose]();
      },
    },
    // Nothing is read ahead of the caller.
    { highWaterMark: 0 },
  );
}

function finish({ deadline }: Limits): void {
  deadline.complete();
  deadline[Symbol.dispose]();
}
