// Tokens of people that a provider has returned. They exist nowhere else until they are stored, and the provider may have
// ended the earlier ones. So they are kept in memory, and storing them is repeated until it succeeds.
import type { Core } from "../core";
import { Unopenable } from "../crypto";
import { RepeatedWrites } from "../repeated-writes";
import { type HeldLease, releaseLease, type Transaction } from "../store";
import { findIdentity, type IdentityRow, renew, tokensPlace } from "./identity-repository";
import type { ProviderTokens } from "./openid";

/** How long a process that stops waits for the database. */
const CLOSE_MS = 2000;

/** How a reading of groups has ended. Times by the wall clock. */
export type Outcome =
  | { kind: "read"; groups: readonly string[]; at: number }
  | { kind: "failed"; at: number }
  | { kind: "unfinished" };

export interface Found {
  /** The row whose tokens were sent, and these tokens. */
  seen: IdentityRow;
  sent: ProviderTokens;
  /** The newest ones. */
  tokens: ProviderTokens;
  outcome: Outcome;
  /** Released when this is stored; undefined: the reading goes on. */
  lease?: HeldLease | undefined;
}

interface Pending {
  found: Found;
  /** False if the row needs these tokens no more. */
  done: Promise<boolean>;
}

export class UnstoredTokens {
  readonly #core: Core;
  readonly #writes: RepeatedWrites;
  /** By person. */
  readonly #pending = new Map<string, Pending>();

  constructor(core: Core) {
    this.#core = core;
    this.#writes = new RepeatedWrites(core);
  }

  /** What is not stored yet of a person. */
  of(key: string): Found | undefined {
    return this.#pending.get(key)?.found;
  }

  /** Stores what was found, in place of what was kept of the person before. Resolves to false if the row does not need it. */
  keep(key: string, found: Found): Promise<boolean> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      pending.found = found;
      return pending.done;
    }
    const kept: Pending = { found, done: Promise.resolve(false) };
    this.#pending.set(key, kept);
    kept.done = this.#writes.run("the tokens of a person", () => this.#store(key, kept));
    kept.done.catch((error: unknown) => {
      this.#core.log.error("the tokens of a person were lost", { error });
      this.#end(key, kept);
    });
    return kept.done;
  }

  async close(): Promise<void> {
    await this.#writes.close(CLOSE_MS);
  }

  async #store(key: string, kept: Pending): Promise<boolean> {
    for (;;) {
      const { found } = kept;
      const stored = await this.#attempt(found);
      // Something newer may have come meanwhile.
      if (stored === "changed" || kept.found !== found) continue;
      this.#end(key, kept);
      return stored;
    }
  }

  #end(key: string, { found }: Pending): void {
    this.#pending.delete(key);
    found.lease?.stop();
  }

  async #attempt(found: Found): Promise<boolean | "changed"> {
    const { store, keyring } = this.#core;
    const { seen, tokens, outcome, lease } = found;
    const { project_id: projectId, user_id: userId } = seen;
    const row = await findIdentity(store, projectId, userId);
    if (row === undefined || !(await this.#continues(row, found))) {
      if (lease !== undefined) await store.write(() => releaseLease(lease.lease), { reserved: true });
      return false;
    }
    const sealed = await keyring.seal(projectId, tokensPlace(userId), JSON.stringify(tokens));
    // Another server may have read the groups later, with a provider whose refresh tokens work more than once.
    const isNews = outcome.kind === "read" && outcome.at >= row.read_at;
    const next = {
      groups_json: isNews ? JSON.stringify(outcome.groups) : row.groups_json,
      read_at: isNews ? outcome.at : row.read_at,
      failed_at: isNews ? 0 : outcome.kind === "failed" ? outcome.at : row.failed_at,
      sealed_tokens: sealed,
    };
    return store.write(
      function* (): Transaction<boolean | "changed"> {
        // Also if the lease was lost: the row has the token that was exchanged for these.
        if (!(yield* renew(row, next))) return "changed";
        if (lease !== undefined) yield* releaseLease(lease.lease);
        return true;
      },
      { reserved: true },
    );
  }

  /** Whether the row has the tokens that were sent, or these. Otherwise the person has signed in again, or another server has newer ones. */
  async #continues(row: IdentityRow, { seen, sent, tokens }: Found): Promise<boolean> {
    if (row.sealed_tokens === seen.sealed_tokens) return true;
    if (row.sealed_tokens === null || row.subject !== seen.subject) return false;
    try {
      const text = await this.#core.keyring.open(row.project_id, tokensPlace(row.user_id), row.sealed_tokens);
      const current = renewable(JSON.parse(text));
      return current === renewable(sent) || current === renewable(tokens);
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      return false;
    }
  }
}

/** What a provider is asked with. */
function renewable({ access, refresh }: ProviderTokens): string {
  return refresh ?? access;
}
