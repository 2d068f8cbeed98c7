// Replaces the pseudonyms in entries of the audit trail by user ids, while the mapping exists.
import { timestamp } from "../base";
import type { Store } from "../store";
import { findPerson, findPseudonym, type StoredAuditRow } from "./repository";
import type { AuditEntryRecord } from "./schema";

const PSEUDONYM = /\bps_[0-9a-f]{32}\b/g;
const USER = "user:";

export class People {
  readonly #store: Store;
  readonly #chain: string;
  readonly #only: string | undefined;
  readonly #known = new Map<string, Promise<string | undefined>>();

  /** `only`: the one pseudonym whose user is named. */
  constructor(store: Store, chain: string, only?: string) {
    this.#store = store;
    this.#chain = chain;
    this.#only = only;
  }

  /** The actor of a filter, as entries store it. */
  async storedActor(actor: string): Promise<string> {
    if (!actor.startsWith(USER)) return actor;
    const pseudonym = await findPseudonym(this.#store, this.#chain, actor.slice(USER.length));
    return pseudonym === undefined ? actor : USER + pseudonym;
  }

  /** The record in API answers. */
  async entryOf(row: StoredAuditRow): Promise<AuditEntryRecord> {
    const { id, number, action, target, result, address, details, hash } = row;
    const users = new Map<string, string>();
    for (const [pseudonym] of `${row.actor} ${details}`.matchAll(PSEUDONYM)) {
      const user = await this.#userOf(pseudonym);
      if (user !== undefined) users.set(pseudonym, user);
    }
    const named = (text: string): string => users.get(text) ?? text;
    const actor = row.actor.startsWith(USER) ? USER + named(row.actor.slice(USER.length)) : row.actor;
    const reviver = (_name: string, value: unknown): unknown =>
      typeof value === "string" ? named(value) : value;
    return {
      id,
      number,
      time: timestamp(row.created_at),
      actor,
      ...(address === "" ? {} : { address }),
      action,
      target,
      result,
      ...(details === "" ? {} : { details: JSON.parse(details, reviver) }),
      hash,
    };
  }

  async #userOf(pseudonym: string): Promise<string | undefined> {
    if (this.#only !== undefined && pseudonym !== this.#only) return undefined;
    let user = this.#known.get(pseudonym);
    if (user === undefined)
      this.#known.set(pseudonym, (user = findPerson(this.#store, this.#chain, pseudonym)));
    return user;
  }
}
