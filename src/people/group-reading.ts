// Reads the groups of a person at the OpenID provider again. A refresh token works once with many providers, so one server at a
// time asks, under a lease, and what the provider returns is kept until it is stored.
import { timestamp } from "../base";
import type { Core } from "../core";
import { hashOf, newToken } from "../crypto";
import { isTemporary } from "../repeated-writes";
import { type HeldLease, LeaseLost, Leases, releaseLease, stillHeld, type Transaction } from "../store";
import type { Taken } from "../store";
import {
  claim,
  fail,
  findIdentity,
  identityInTransaction,
  type IdentityRow,
  tokensPlace,
} from "./identity-repository";
import type { Claims, OpenIdClient, ProviderTokens } from "./openid";
import { type Found, type Outcome, UnstoredTokens } from "./unstored-tokens";

/** A caller waits this long for the store; then it gets the groups from memory. */
const STORE_MS = 250;
const NONE: readonly string[] = [];

export interface ReadingParts {
  client: OpenIdClient;
  inClaims(claims: Claims | undefined): readonly string[] | undefined;
}

/** The groups from memory, "stored": they are in the row, or "lost": another server reads them. */
export type Read = readonly string[] | "stored" | "lost";

export class GroupReading {
  readonly #core: Core;
  readonly #parts: ReadingParts;
  readonly #leases: Leases;
  readonly #unstored: UnstoredTokens;

  constructor(core: Core, parts: ReadingParts) {
    this.#core = core;
    this.#parts = parts;
    this.#leases = new Leases(core.store, core.clock, newToken(core.random));
    this.#unstored = new UnstoredTokens(core);
  }

  /** What this process has read and not stored yet; undefined: nothing. */
  unstored(key: string): Outcome | undefined {
    return this.#unstored.of(key)?.outcome;
  }

  /** Undefined: another server reads them. "changed": the row has changed since it was read. */
  async start(key: string, row: IdentityRow): Promise<HeldLease | "changed" | undefined> {
    const { store, clock } = this.#core;
    const leases = this.#leases;
    const name = leaseOf(key);
    // Nothing is sent unless the answer can be stored.
    await store.reserve();
    const seen = await leases.look(name);
    const taken = await store.write(function* (): Transaction<Taken | "changed" | undefined> {
      const now = yield* identityInTransaction(row.project_id, row.user_id);
      if (now === undefined || !isSame(now, row)) return "changed";
      const lease = yield* leases.take(name, seen);
      if (lease !== undefined) yield* claim(row, clock.now());
      return lease;
    });
    return taken === undefined || taken === "changed" ? taken : leases.held(taken);
  }

  /** Resolves when a lease was released since this generation of leases, or a moment later. */
  changed(generation: number): Promise<void> {
    return this.#leases.changed(generation);
  }

  /** Reads them under a lease, which it releases. */
  async read(key: string, row: IdentityRow, lease: HeldLease): Promise<Read> {
    const at = this.#core.clock.now();
    let found: Found | undefined;
    try {
      const sent = await this.#tokens(row);
      let tokens = sent;
      let groups: readonly string[] | undefined;
      if (sent.refresh !== undefined) {
        const { refresh } = sent;
        const answer = await this.#parts.client.refresh(refresh, row.subject, () => this.#check(lease, row));
        ({ tokens } = answer);
        found = { seen: row, sent, tokens, outcome: { kind: "unfinished" } };
        if (answer.fault !== undefined) throw answer.fault;
        groups = this.#parts.inClaims(answer.claims);
      }
      if (groups === undefined) {
        // The tokens exist nowhere else, and this question takes a while.
        if (found !== undefined) void this.#unstored.keep(key, found).catch(() => undefined);
        groups = await this.#fromUserInfo(tokens, row);
      }
      found = { seen: row, sent, tokens, outcome: { kind: "read", groups, at }, lease };
      return await this.#kept(key, found, groups);
    } catch (error) {
      if (error instanceof LeaseLost) {
        await this.#leases.release(lease, this.#core.log);
        return "lost";
      }
      if (found === undefined && isTemporary(error)) {
        await this.#leases.release(lease, this.#core.log);
        throw error;
      }
      this.#core.log.warn("the groups of a person cannot be read; until it works, the person has none", {
        read_at: timestamp(row.read_at),
        error,
      });
      if (found === undefined) return await this.#failed(row, lease);
      return this.#kept(
        key,
        { ...found, outcome: { kind: "failed", at: this.#core.clock.now() }, lease },
        NONE,
      );
    }
  }

  /** Waits for what is not stored. */
  close(): Promise<void> {
    return this.#unstored.close();
  }

  async #fromUserInfo({ access }: ProviderTokens, row: IdentityRow): Promise<readonly string[]> {
    const { client, inClaims } = this.#parts;
    const groups = inClaims(await client.userInfo(access, row.subject));
    // Many providers leave the claim out for a person without groups.
    if (groups === undefined && row.groups_json !== "[]")
      throw new Error("The provider told the groups at the sign-in, and does not tell them now.");
    return groups ?? NONE;
  }

  async #tokens({ project_id, user_id, sealed_tokens }: IdentityRow): Promise<ProviderTokens> {
    if (sealed_tokens === null) throw new Error("There are no tokens of the person.");
    return JSON.parse(await this.#core.keyring.open(project_id, tokensPlace(user_id), sealed_tokens));
  }

  /** The last check before a refresh token is sent: this process may have been frozen since it took the lease. */
  async #check(lease: HeldLease, seen: IdentityRow): Promise<void> {
    do {
      await lease.check();
      const row = await findIdentity(this.#core.store, seen.project_id, seen.user_id);
      if (row === undefined || !isSame(row, seen)) throw new LeaseLost();
      // Needs no wait, so it is still true when the request leaves.
    } while (!lease.isFresh);
  }

  async #kept(key: string, found: Found, groups: readonly string[]): Promise<Read> {
    const timer = new AbortController();
    const stored = this.#unstored.keep(key, found).then(
      () => true,
      () => false,
    );
    const slow = this.#core.clock.sleep(STORE_MS, timer.signal).then(() => false);
    const isStored = await Promise.race([stored, slow]);
    timer.abort();
    return isStored ? "stored" : groups;
  }

  /** Nothing was returned, so nothing is lost if this is not stored. */
  async #failed(row: IdentityRow, held: HeldLease): Promise<Read> {
    const { store, clock, log } = this.#core;
    held.stop();
    const { lease } = held;
    try {
      const isMine = await store.write(function* (): Transaction<boolean> {
        const isHeld = yield* stillHeld(lease);
        if (isHeld) yield* fail(row, clock.now());
        yield* releaseLease(lease);
        return isHeld;
      });
      // The provider may have refused a token that another server has exchanged meanwhile.
      return isMine ? NONE : "lost";
    } catch (error) {
      log.warn("a failed reading of groups was not stored", { error });
      return NONE;
    }
  }
}

function isSame(one: IdentityRow, other: IdentityRow): boolean {
  return one.sealed_tokens === other.sealed_tokens && one.read_at === other.read_at;
}

// Without the name of the person: rows of leases outlive the person.
function leaseOf(key: string): string {
  return `groups of ${hashOf(key)}`;
}
