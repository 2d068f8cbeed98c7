// The audit trail. An administrative write and its audit entry are committed together or not at all. Each entry is the next
// row of the hash chain of its project, or of the installation (docs/audit.md).
import type { Clock } from "../base";
import { idAfter, type Random } from "../crypto";
import { together, type Transaction } from "../store";
import type { Basis } from "./basis";
import { NO_HASH, rowHash } from "./chain";
import { changesOf } from "./changes";
import { requireIncarnation } from "./incarnation";
import * as repository from "./repository";

/** Who makes a change, and in which project; null: it concerns the whole deployment. A principal is one. */
export type Actor = {
  projectId: string | null;
  incarnation?: string | undefined;
  /** The network address that the request came from. */
  address?: string | undefined;
  /** The change is conditional. */
  basis?: Basis | undefined;
} &
  /** `workload`: the subject of the token of a workload, whose id is in `keyId`. */
  (
    | { kind: "key"; keyId: string; workload?: string | undefined }
    | { kind: "user"; userId: string }
    /** A person at the terminal. */
    | { kind: "operator" }
    /** A browser during a consent. Whether its person is the user is what the consent verifies. */
    | { kind: "browser" }
    /** This server, without a request. */
    | { kind: "server" }
  );

/** How API answers and other tables name an actor: `key:<id>`, `workload:<id>`, `user:<id>`, `operator`, `browser` or `server`. */
export function actorOf(actor: Actor): string {
  if (actor.kind === "key") return `${actor.workload === undefined ? "key" : "workload"}:${actor.keyId}`;
  return actor.kind === "user" ? `user:${actor.userId}` : actor.kind;
}

export type Result = "ok" | "failed" | "declined" | "refused";

/** What happened, besides actor, action and target. Never contains the value of a secret. */
export interface Happened {
  /** Default: ok. */
  result?: Result;
  /** The user whom it concerns. */
  user?: string;
  /** Facts, for example a name or a role. `users` is a list of users. */
  details?: object;
  /** The record before and after a change. Only fields that differ are stored. `users` is a list of users. */
  before?: object;
  after?: object;
}

export class Audit {
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * The entry, as a step of the transaction that does the write. `action`: `secret.upsert`, `provider.delete` …
   * `target`: the record's id or name, never a user's. Throws `invalid_authorization` if the project of the actor was deleted,
   * and `Outdated` if the change is conditional and another one was made meanwhile.
   */
  *record(actor: Actor, action: string, target: string, happened: Happened = {}): Transaction<void> {
    const now = this.#clock.now();
    const { projectId } = actor;
    const chain = projectId ?? "";
    const end = repository.headInTransaction(chain);
    // Two look-ups of one row each: a join takes several times as long.
    const [incarnation, head] =
      projectId === null
        ? ["", yield* end]
        : yield* together(requireIncarnation({ projectId, incarnation: actor.incarnation }), end);
    const { number, hash, newest_id } = head ?? EMPTY;
    const row = {
      project_id: chain,
      id: idAfter("au", newest_id, now, this.#random),
      number: number + 1,
      incarnation,
      actor: actor.kind === "user" ? `user:${yield* this.#pseudonym(chain, actor.userId)}` : actorOf(actor),
      action,
      target,
      result: happened.result ?? "ok",
      address: actor.address ?? "",
      details: yield* this.#details(chain, happened, subjectOf(actor)),
      created_at: now,
      hash: "",
    };
    row.hash = rowHash(hash, row);
    if (actor.basis !== undefined) yield* actor.basis.admit(hash, row);
    yield* repository.addAuditRow(row);
  }

  /** Erases a user from the trail: the entries remain, and no longer tell who it was. Returns whether there were any. */
  *forgetUser(projectId: string, userId: string): Transaction<boolean> {
    return (yield* repository.forgetPerson(projectId, userId)) > 0;
  }

  /** The same for all users of a project that is deleted. */
  *forgetUsers(projectId: string): Transaction<void> {
    yield* repository.forgetPeople(projectId);
  }

  // A person is named by a random pseudonym, so that a user can be erased without a change of the chain.
  *#pseudonym(chain: string, userId: string): Transaction<string> {
    const known = yield* repository.pseudonymInTransaction(chain, userId);
    if (known !== undefined) return known.pseudonym;
    const pseudonym = `ps_${this.#random(16).toHex()}`;
    yield* repository.addPerson(pseudonym, chain, userId);
    return pseudonym;
  }

  /** JSON; empty if there is nothing to tell. */
  *#details(
    chain: string,
    { user, details, before, after }: Happened,
    subject: string | undefined,
  ): Transaction<string> {
    const isEmpty = [user, details, before, after, subject].every((part) => part === undefined);
    if (isEmpty) return "";
    const told: Record<string, unknown> = {
      ...(subject === undefined ? {} : { token_subject: subject }),
      ...(hasUsers(details) ? yield* this.#withoutUsers(chain, details) : details),
      ...(user === undefined ? {} : { user: yield* this.#pseudonym(chain, user) }),
      ...changesOf(
        hasUsers(before) ? yield* this.#withoutUsers(chain, before) : before,
        hasUsers(after) ? yield* this.#withoutUsers(chain, after) : after,
      ),
    };
    return Object.keys(told).length === 0 ? "" : JSON.stringify(told);
  }

  *#withoutUsers(chain: string, record: WithUsers): Transaction<object> {
    const pseudonyms: string[] = [];
    for (const user of record.users) pseudonyms.push(yield* this.#pseudonym(chain, String(user)));
    return { ...record, users: pseudonyms };
  }
}

/** Which of the jobs of a workload acted; empty for its scheduled runs. */
function subjectOf(actor: Actor): string | undefined {
  return actor.kind === "key" && actor.workload !== "" ? actor.workload : undefined;
}

type WithUsers = { users: readonly unknown[] };

function hasUsers(record: object | undefined): record is WithUsers {
  return record !== undefined && "users" in record && Array.isArray(record.users);
}

const EMPTY = { number: 0, hash: NO_HASH, newest_id: undefined };
