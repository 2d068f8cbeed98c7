// Reads the body of a stream piece by piece. Failures become errors for the caller.
import type { Core } from "../../core";
import { gatewayTimeout } from "../../errors";
import type { ModelServer } from "../server-of";
import { type Block, Blocks, EndlessEvent } from "../stream/read-events";
import type { StreamReader } from "../stream/reader";
import type { CallOptions } from "./call";
import type { Loose } from "./client";
import { unanswered, unreadable } from "./failure";

interface PieceReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

const EMPTY = new Uint8Array();
const SLICE = 65_536;

/** The blocks of a body, as they arrive. */
export class BlockSource {
  readonly #core: Core;
  readonly #server: ModelServer;
  readonly #reader: PieceReader;
  readonly #timeoutMs: number;
  readonly #blocks = new Blocks();
  /** What was received and not yet looked at. */
  #rest: Uint8Array = EMPTY;
  /** How long the server was waited for since its last event. */
  #silentMs = 0;
  #ended = false;

  constructor(core: Core, server: ModelServer, body: ReadableStream<Uint8Array>, options: CallOptions) {
    this.#core = core;
    this.#server = server;
    this.#reader = body.getReader();
    this.#timeoutMs = options.timeoutMs;
  }

  /** The blocks of the next piece; undefined at the end of the body. Throws the error for the caller. */
  async next(): Promise<readonly Block[] | undefined> {
    if (this.#rest.byteLength > 0) return this.#slice();
    if (this.#ended) return undefined;
    const asked = this.#core.clock.now();
    const piece = await this.#reader.read().catch((thrown: unknown) => {
      throw unanswered(this.#server, thrown);
    });
    if (piece.value === undefined) {
      this.#ended = true;
      const last = this.#blocks.end();
      return last === undefined ? undefined : [last];
    }
    this.#rest = piece.value;
    const blocks = this.#slice();
    this.#watch(blocks, this.#core.clock.now() - asked);
    return blocks;
  }

  // Large pieces are taken in slices: for a slow reader of this answer, the rest waits as bytes.
  #slice(): readonly Block[] {
    const slice = this.#rest.subarray(0, SLICE);
    this.#rest = this.#rest.subarray(SLICE);
    return this.#added(slice);
  }

  /** Closes the connection. */
  async cancel(): Promise<void> {
    this.#ended = true;
    this.#rest = EMPTY;
    await this.#reader.cancel().catch(() => undefined);
  }

  #added(piece: Uint8Array): readonly Block[] {
    try {
      return this.#blocks.add(piece);
    } catch (thrown) {
      throw thrown instanceof EndlessEvent
        ? unreadable(this.#server, 200, "an event that is too large")
        : thrown;
    }
  }

  // Comments keep a connection open, but are not events.
  #watch(blocks: readonly Block[], waitedMs: number): void {
    this.#silentMs = blocks.some(({ event }) => event !== undefined) ? 0 : this.#silentMs + waitedMs;
    if (this.#silentMs <= this.#timeoutMs) return;
    throw gatewayTimeout(
      `The server of the model entry "${this.#server.id}" sent no event within ${this.#timeoutMs / 1000} s. The setting llm.timeout is the limit.`,
    );
  }
}

/** The records of a stream up to its end. Throws the error for the caller, also if the stream is incomplete. */
export async function* recordsOf(source: BlockSource, reader: StreamReader): AsyncGenerator<Loose, void> {
  try {
    for (let blocks = await source.next(); blocks !== undefined; blocks = await source.next()) {
      for (const { event } of blocks) {
        const record = event === undefined ? undefined : reader.read(event);
        if (record !== undefined) yield record;
        if (reader.isOver) return;
      }
    }
    reader.finish();
  } finally {
    // Closes the connection if the caller stops reading.
    await source.cancel();
  }
}
