// Streamed bodies. The limits of time and size apply while the caller reads.
import type { BodyReader } from "./exchange";
import { largerThan, type Limits } from "./limits";
import type { EgressError } from "./types";

/**
 * Streams the body. The deadline restarts with every chunk and ends when the body is complete, has failed, or was
 * cancelled by the reader, which closes the connection.
 */
export const streamedBody: BodyReader = {
  streams: true,
  read: ({ body }, limits, origin, failed) => {
    limits.deadline.restart();
    if (body !== null) return chunksOf(body, limits, origin, failed);
    finish(limits);
    return null;
  },
};

function chunksOf(
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
    // No read-ahead.
    { highWaterMark: 0 },
  );
}

function finish({ deadline }: Limits): void {
  deadline.complete();
  deadline[Symbol.dispose]();
}
