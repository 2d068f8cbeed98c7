// Passes a stream through unchanged. It checks only both ends: a failure before the first frame is an ordinary error, and
// a stream that breaks off must not look complete.
import { isObject } from "../../base";
import { toRuntimeError } from "../../errors";
import { errorEvent } from "./events";

/** How many bytes of the end are checked. */
const TAIL = 4096;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

export interface PassOptions {
  /** The error for a stream that breaks. */
  failed(thrown: unknown): Error;
  /** The error for a stream whose first frame is an error. */
  refused(error: unknown): Error;
  /** The error for a stream that ends too early. */
  cutOff(): Error;
  /** Called with an error that the caller gets as the last event. */
  broke(error: Error): void;
  /** Called when the stream has ended, or its reader has disconnected. */
  ended?: (() => void) | undefined;
}

/** Waits for the first piece. Rejects if there is none or if it is an error. */
export async function passThrough(
  body: ReadableStream<Uint8Array>,
  options: PassOptions,
): Promise<ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const first = await reader.read().catch((thrown: unknown) => {
    throw options.failed(thrown);
  });
  if (first.done) throw options.cutOff();
  const error = errorOf(first.value);
  if (error !== undefined) {
    await reader.cancel();
    throw options.refused(error);
  }
  const caller = { disconnected: false };
  return new ReadableStream<Uint8Array>({
    // Bun's own type: writes without a queue.
    type: "direct",
    pull: (controller: ReadableStreamDirectController) =>
      pipe(first.value, reader, controller, caller, options),
    cancel: (reason: unknown) => {
      caller.disconnected = true;
      options.ended?.();
      return reader.cancel(reason);
    },
  });
}

async function pipe(
  first: Uint8Array,
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  controller: ReadableStreamDirectController,
  caller: { readonly disconnected: boolean },
  options: PassOptions,
): Promise<void> {
  const fail = (error: Error): void => {
    if (caller.disconnected) return;
    options.broke(error);
    controller.write(failure(error));
  };
  let tail: Uint8Array = first;
  try {
    for (let piece: Uint8Array | undefined = first; piece !== undefined;) {
      controller.write(piece);
      await controller.flush();
      const { value } = await reader.read();
      piece = value;
      if (piece !== undefined) tail = lastOf(tail, piece);
    }
    if (!isComplete(tail)) fail(options.cutOff());
  } catch (thrown) {
    fail(options.failed(thrown));
  }
  controller.end();
  options.ended?.();
}

function failure(error: Error): Uint8Array {
  // Ends an incomplete event first.
  return ENCODER.encode(`\n\n${errorEvent(toRuntimeError(error))}`);
}

function lastOf(tail: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.byteLength >= TAIL) return piece;
  const joined = new Uint8Array(tail.byteLength + piece.byteLength);
  joined.set(tail);
  joined.set(piece, tail.byteLength);
  return joined.byteLength > TAIL ? joined.subarray(joined.byteLength - TAIL) : joined;
}

// Some servers end without `[DONE]`; a finish reason counts as well.
function isComplete(tail: Uint8Array): boolean {
  const text = DECODER.decode(tail);
  return /data:\s*\[DONE\]/.test(text) || /"finish_reason"\s*:\s*"/.test(text);
}

function errorOf(piece: Uint8Array): unknown {
  const text = DECODER.decode(piece);
  // A quick test: errors are rare.
  if (!text.includes('"error"')) return undefined;
  const frame = /^(?:event:[^\r\n]*\r?\n)?data:\s*(\{.*\})\s*?\r?\n\r?\n/.exec(text)?.[1];
  if (frame === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(frame);
    return isObject(value) && isObject(value["error"]) ? value["error"] : undefined;
  } catch {
    return undefined;
  }
}
