// Copies of signed heads outside of the database: the log, a file, and an address. Somebody who changes the database cannot
// take back what is there.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { Core } from "../core";
import type { SignedHead } from "./heads";

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Heads in one request. */
const BATCH = 500;

interface Destination {
  name: string;
  send(heads: readonly SignedHead[]): Promise<void> | void;
  /** By chain: the number of the newest row that was sent. */
  sent: Map<string, number>;
}

export class HeadCopies {
  readonly #core: Core;
  readonly #destinations: readonly Destination[];

  constructor(core: Core, file: string | undefined) {
    this.#core = core;
    const { "audit.heads_url": url } = core.settings;
    const to = (name: string, send: Destination["send"]): Destination => ({ name, send, sent: new Map() });
    this.#destinations = [
      to("log", (heads) => heads.forEach((head) => core.log.info("audit head", { ...head }))),
      ...(file === undefined ? [] : [to("file", (heads) => append(file, heads))]),
      ...(url === undefined ? [] : [to("address", (heads) => this.#post(url, heads))]),
    ];
  }

  /** Whether every destination has the head of this row. */
  has(chain: string, number: number): boolean {
    return this.#destinations.every(({ sent }) => sent.get(chain) === number);
  }

  /** Sends to each destination what it lacks. What fails is logged and sent the next time. */
  async keep(heads: readonly SignedHead[]): Promise<void> {
    await Promise.all(this.#destinations.map((destination) => this.#send(destination, heads)));
  }

  async #send({ name, send, sent }: Destination, heads: readonly SignedHead[]): Promise<void> {
    const lacking = heads.filter(({ chain, number }) => sent.get(chain) !== number);
    for (let from = 0; from < lacking.length; from += BATCH) {
      const batch = lacking.slice(from, from + BATCH);
      try {
        await send(batch);
      } catch (error) {
        this.#core.log.warn("audit heads not kept", { destination: name, error });
        return;
      }
      for (const { chain, number } of batch) sent.set(chain, number);
    }
  }

  async #post(url: string, heads: readonly SignedHead[]): Promise<void> {
    const { egress } = this.#core;
    const response = await egress.fetch(url, {
      group: "audit",
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: linesOf(heads),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    await response.text();
    if (!response.ok) throw new Error(`the server at audit.heads_url answered ${response.status}`);
  }
}

function linesOf(heads: readonly SignedHead[]): string {
  return heads.map((head) => `${JSON.stringify(head)}\n`).join("");
}

function append(file: string, heads: readonly SignedHead[]): void {
  const descriptor = openSync(file, "a", 0o600);
  try {
    writeSync(descriptor, linesOf(heads));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
