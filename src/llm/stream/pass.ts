// Passes a stream through unchanged, event by event, as fast as its reader takes it. A failure before the first event is an
// ordinary error; after it, the failure is the last event, and nothing of the server follows.
import { isObject, nextTurn } from "../../base";
import { type RuntimeError, toRuntimeError } from "../../errors";
import { errorEvent } from "./events";
import type { Block } from "./read-events";
import type { StreamReader } from "./reader";

const ENCODER = new TextEncoder();
/** Bytes that wait for the first event; more of them are comments and pings, and are dropped. */
const MAX_WAITING = 64 * 1024;

export interface BlockSource {
  /** The next blocks; undefined at the end. Throws the error for the caller. */
  next(): Promise<readonly Block[] | undefined>;
  cancel(): Promise<void>;
}

export interface PassOptions {
  source: BlockSource;
  reader: StreamReader;
  /** Whether the caller may see the text of an event that is an error. */
  isShown(text: string): boolean;
  /** Called with an error that the caller gets as the last event. */
  broke(error: unknown): void;
  /** The last event of a stream that fails; default: that of chat completions. */
  failed?(error: RuntimeError): string;
  /** Called when the stream has ended, or its reader has disconnected. */
  ended?: (() => void) | undefined;
}

/** Waits for the first event. Rejects if there is none or if it is an error. */
export async function passThrough(options: PassOptions): Promise<ReadableStream<Uint8Array>> {
  const { source } = options;
  const passing = new Passing(options);
  const first = await passing.begin().catch(async (thrown: unknown) => {
    await source.cancel();
    throw thrown;
  });
  const caller = { disconnected: false };
  return new ReadableStream<Uint8Array>({
    // Bun's own type: writes without a queue.
    type: "direct",
    pull: (controller: ReadableStreamDirectController) => pipe(first, passing, controller, caller, options),
    cancel: () => {
      caller.disconnected = true;
      options.ended?.();
      return source.cancel();
    },
  });
}

async function pipe(
  first: Uint8Array,
  passing: Passing,
  controller: ReadableStreamDirectController,
  caller: { readonly disconnected: boolean },
  options: PassOptions,
): Promise<void> {
  try {
    for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = await passing.next()) {
      controller.write(piece);
      // Waits until the connection has taken it: nothing piles up for a slow reader.
      await controller.flush(true);
      if (caller.disconnected) return;
    }
  } catch (thrown) {
    if (caller.disconnected) return;
    options.broke(thrown);
    const { failed = errorEvent } = options;
    controller.write(ENCODER.encode(failed(toRuntimeError(thrown))));
  }
  controller.end();
  options.ended?.();
  await options.source.cancel();
}

/** The bytes of the events that were read and are in order. */
class Passing {
  readonly #source: BlockSource;
  readonly #reader: StreamReader;
  readonly #isShown: PassOptions["isShown"];
  /** What is thrown after the events before it were passed on. */
  #fault: { thrown: unknown } | undefined;
  #ended = false;

  constructor({ source, reader, isShown }: PassOptions) {
    this.#isShown = isShown;
    this.#source = source;
    this.#reader = reader;
  }

  /** The bytes up to the first events. Comments before them wait, because an error may follow. */
  async begin(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    while (!this.#reader.hasBegun) {
      const blocks = await this.#source.next();
      if (blocks === undefined) break;
      for (const block of blocks) {
        if (this.#fault !== undefined) break;
        for (const piece of this.#checked([block])) {
          size += piece.byteLength;
          // Comments and pings, of which a server may send any number before it begins.
          if (this.#reader.hasBegun || size <= MAX_WAITING) pieces.push(piece);
        }
      }
      if (size > MAX_WAITING) await nextTurn();
      if (this.#fault !== undefined && !this.#reader.hasBegun) throw this.#fault.thrown;
    }
    if (!this.#reader.hasBegun) this.#reader.finish();
    return Buffer.concat(pieces);
  }

  /** The next bytes; undefined after the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault.thrown;
      // What follows the end is read, so that the connection can be used again, and dropped.
      if (this.#ended) return undefined;
      const blocks = await this.#source.next().catch((thrown: unknown) => {
        if (this.#reader.isOver) return undefined;
        throw thrown;
      });
      if (blocks === undefined) {
        this.#ended = true;
        this.#reader.finish();
        return undefined;
      }
      const pieces = this.#checked(blocks);
      if (pieces.length > 0) return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    }
  }

  #checked(blocks: readonly Block[]): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (const { bytes, event } of blocks) {
      if (this.#reader.isOver) break;
      try {
        if (event !== undefined) this.#reader.read(event);
      } catch (thrown) {
        this.#fault = { thrown };
        // The server's own error passes as well.
        if (event !== undefined && isRecord(event.data) && this.#isShown(event.data)) pieces.push(bytes);
        break;
      }
      pieces.push(bytes);
    }
    return pieces;
  }
}

// Clients cannot read an event with anything else.
function isRecord(data: string): boolean {
  try {
    return isObject(JSON.parse(data));
  } catch {
    return false;
  }
}
