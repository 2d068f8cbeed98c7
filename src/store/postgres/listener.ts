// Hears which kinds of records other servers have changed. Only for speed: a poll finds what it misses.
import type { Connection, Connector } from "./connector";

const AGAIN_MS = 1000;

export class Listener {
  readonly #connector: Connector;
  readonly #channel: string;
  readonly #heard: () => void;
  #listening: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `heard` is called for each notification, and after each connection, because notifications may have been missed. */
  constructor(connector: Connector, channel: string, heard: () => void) {
    this.#connector = connector;
    this.#channel = channel;
    this.#heard = heard;
    void this.#listen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#listening?.close();
  }

  async #listen(): Promise<void> {
    try {
      const listening = await this.#connector.connect();
      if (this.#closed) return await listening.close();
      this.#listening = listening;
      await listening.listen(this.#channel, this.#heard);
      await listening.ended;
    } catch {
      // The poll goes on meanwhile.
    }
    await this.#listening?.close();
    this.#listening = undefined;
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#listen(), AGAIN_MS);
    this.#timer.unref();
  }
}
