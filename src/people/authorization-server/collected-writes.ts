// What the library writes while it answers a request, in one transaction before the answer is sent. It uses a code or a token up
// before it checks the rest of the request, so that without this a request that is refused, or that fails in the middle, would
// cost the client its sign-in.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Core } from "../../core";
import type { Transaction } from "../../store";
import { chainOfItem, consumeItem, removeChain } from "./item-repository";

/** What works once. */
interface Use {
  kind: string;
  hash: string;
  at: number;
}

interface Collected {
  uses: Use[];
  steps: { body: () => Transaction<void>; isRemoval: boolean }[];
}

/** What is stored of a request: all of it, or, if it is refused, only what it has ended. */
export type Stored = "all" | "removals" | "nothing";

export class CollectedWrites {
  readonly #core: Core;
  readonly #current = new AsyncLocalStorage<Collected>();

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Collects what is written while `answer` runs, and stores it. Returns its answer, and whether the request has lost: another one
   * has used the same code or token. Then nothing of it is stored, and the tokens of the sign-in end.
   */
  async during<T>(
    answer: () => Promise<T>,
    stored: (answer: T) => Stored,
  ): Promise<{ answer: T; lost: boolean }> {
    const collected: Collected = { uses: [], steps: [] };
    const given = await this.#current.run(collected, answer);
    const what = stored(given);
    const uses = what === "all" ? collected.uses : [];
    const steps = collected.steps.filter(
      ({ isRemoval }) => what === "all" || (isRemoval && what === "removals"),
    );
    if (uses.length + steps.length === 0) return { answer: given, lost: false };
    const lost = await this.#core.store.write(function* (): Transaction<boolean> {
      for (const use of uses) if (!(yield* isFirstUse(use))) return true;
      for (const { body } of steps) yield* body();
      return false;
    });
    return { answer: given, lost };
  }

  add(body: () => Transaction<void>): Promise<void> {
    return this.#write({ body, isRemoval: false });
  }

  remove(body: () => Transaction<void>): Promise<void> {
    return this.#write({ body, isRemoval: true });
  }

  /** False if it was used before. During a request this is decided when the request is stored. */
  async use(use: Use): Promise<boolean> {
    const collected = this.#current.getStore();
    if (collected === undefined) return this.#core.store.write(() => isFirstUse(use));
    collected.uses.push(use);
    return true;
  }

  async #write(step: Collected["steps"][number]): Promise<void> {
    const collected = this.#current.getStore();
    if (collected === undefined) await this.#core.store.write(step.body);
    else collected.steps.push(step);
  }
}

/** A second use ends the tokens of the sign-in: one of the two may be a thief (RFC 9700, section 4.14.2). */
function* isFirstUse({ kind, hash, at }: Use): Transaction<boolean> {
  if (yield* consumeItem(kind, hash, at)) return true;
  const chain = yield* chainOfItem(kind, hash);
  if (chain !== undefined) yield* removeChain(chain);
  return false;
}
