// Sessions of browsers. The cookie has 256 random bits, of which the hash is stored; a session belongs to one project and one
// user. Every use compares it with the database, under a generation, so that one that is ended stops at once on every server.
import type { Actor, Audit } from "../audit";
import { timestamp } from "../base";
import type { Core } from "../core";
import { hashOf, newId, newToken } from "../crypto";
import { CachedByGeneration, DeletionTime, type Transaction } from "../store";
import type { Suspensions } from "../identity";
import * as repository from "./session-repository";
import type { SessionRow } from "./session-repository";
import type { BrowserSession } from "./schema";
import type { SessionMethod } from "./terms";

/** How exact the time of the last use is. */
const STAMP_MS = 60_000;
const MOST_PER_PERSON = 50;

/** A person who is signed in with a browser. */
export interface SignedIn {
  projectId: string;
  incarnation: string;
  userId: string;
  sessionId: string;
  method: SessionMethod;
  /** Milliseconds. */
  signedInAt: number;
  /** Must be in every form that this browser sends: other sites cannot know it. */
  formToken: string;
}

export interface NewSession {
  projectId: string;
  userId: string;
  method: SessionMethod;
  /** What began it, such as the state of a sign-in or a one-time link. A second session with the same is refused. */
  startedBy: string;
  userAgent?: string | undefined;
  address?: string | undefined;
}

export class Sessions {
  readonly #core: Core;
  readonly #suspensions: Suspensions;
  readonly #audit: Audit;
  readonly #found: CachedByGeneration<string, SessionRow | undefined>;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, suspensions: Suspensions, audit: Audit) {
    this.#core = core;
    this.#audit = audit;
    this.#suspensions = suspensions;
    this.#found = new CachedByGeneration(core.store, "sessions");
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /**
   * Begins a session and returns the value of its cookie; undefined if `startedBy` has begun one already. `former`: the
   * cookie that the browser sent, whose session ends, so that a session cannot be prepared for another person. `also`:
   * steps of the same transaction, such as the use of a one-time link; if they throw, no session begins.
   */
  async begin(
    started: NewSession,
    former?: string,
    also?: () => Transaction<void>,
  ): Promise<string | undefined> {
    const { store, clock, random, settings } = this.#core;
    const cookie = newToken(random);
    const now = clock.now();
    const row: Omit<SessionRow, "incarnation"> = {
      id: newId("bs", now, random),
      project_id: started.projectId,
      user_id: started.userId,
      hash: hashOf(cookie),
      started_by: hashOf(started.startedBy),
      method: started.method,
      user_agent: started.userAgent?.slice(0, 256) ?? null,
      address: started.address ?? null,
      created_at: now,
      used_at: now,
      expires_at: now + settings["sessions.lifetime"] * 1000,
    };
    const [audit, deletionTime] = [this.#audit, this.#deletionTime];
    const actor = { kind: "browser", projectId: started.projectId, address: started.address } as const;
    const added = await store.write(function* (): Transaction<boolean> {
      if (also !== undefined) yield* also();
      if (former !== undefined) yield* repository.removeByHash(started.projectId, hashOf(former));
      const time = yield* deletionTime.now();
      if (time !== undefined) yield* repository.removeExpired(time);
      yield* repository.removeOldest(started.projectId, started.userId, MOST_PER_PERSON - 1);
      if (!(yield* repository.add(row))) return false;
      const details = { method: started.method };
      yield* audit.record(actor, "session.begin", row.id, { user: started.userId, details });
      return true;
    });
    return added ? cookie : undefined;
  }

  /** Who is signed in to a project with this cookie. Undefined also for a suspended user. */
  async find(projectId: string, cookie: string | undefined): Promise<SignedIn | undefined> {
    if (cookie === undefined) return undefined;
    const hash = hashOf(cookie);
    const row = await this.#current(hash);
    if (row === undefined || row.project_id !== projectId) return undefined;
    if (await this.#suspensions.has(projectId, row.user_id)) return undefined;
    return {
      projectId,
      incarnation: row.incarnation,
      userId: row.user_id,
      sessionId: row.id,
      method: row.method,
      signedInAt: row.created_at,
      formToken: hashOf(`form ${cookie}`),
    };
  }

  /** The sessions of a person, the newest first. `current`: the one of the browser that asks. */
  async list(projectId: string, userId: string, current?: string): Promise<BrowserSession[]> {
    const rows = await repository.listOf(this.#core.store, projectId, userId);
    const now = this.#core.clock.now();
    return rows
      .filter((row) => this.#isAlive(row, now))
      .map((row) => ({
        id: row.id,
        method: row.method,
        current: row.id === current,
        ...(row.user_agent === null ? {} : { user_agent: row.user_agent }),
        ...(row.address === null ? {} : { address: row.address }),
        created_at: timestamp(row.created_at),
        used_at: timestamp(row.used_at),
      }));
  }

  /** False if the person has no such session. `by`: who ends it; by default the person. */
  async end(projectId: string, userId: string, id: string, by?: Actor): Promise<boolean> {
    const audit = this.#audit;
    const actor: Actor = by ?? { kind: "user", projectId, userId };
    return this.#core.store.write(function* (): Transaction<boolean> {
      if ((yield* repository.remove(projectId, userId, id)) === 0) return false;
      yield* audit.record(actor, "session.end", id, { user: userId });
      return true;
    });
  }

  /** Ends all sessions of a person, or all but one. Returns their number. */
  async endOthers(projectId: string, userId: string, by: Actor, keep?: string): Promise<number> {
    const open = await this.list(projectId, userId);
    const ended = open.filter(({ id }) => id !== keep).map(({ id }) => this.end(projectId, userId, id, by));
    return (await Promise.all(ended)).filter(Boolean).length;
  }

  async #current(hash: string): Promise<SessionRow | undefined> {
    const { store, clock } = this.#core;
    const now = clock.now();
    const load = (): Promise<SessionRow | undefined> => repository.findByHash(store, hash);
    let row = await this.#found.get(hash, load);
    if (row === undefined) return undefined;
    // Uses by other servers raise no generation.
    if (!this.#isAlive(row, now)) row = await this.#found.renew(hash, load);
    if (row === undefined || !this.#isAlive(row, now)) return undefined;
    if (now - row.used_at >= STAMP_MS) this.#stamp(row, now);
    return row;
  }

  // In the background: pages work while the database cannot be written, or another process holds its lock.
  #stamp(row: SessionRow, now: number): void {
    const { store, log } = this.#core;
    row.used_at = now;
    store
      .write(() => repository.stamp(row.id, now))
      .catch((error: unknown) => log.warn("the use of a session was not stored", { error }));
  }

  #isAlive({ used_at, expires_at }: SessionRow, now: number): boolean {
    return now < expires_at && now < used_at + this.#core.settings["sessions.idle"] * 1000;
  }
}
