// Users have no records of their own: grants, runs, keys and logs name them.
import { type Audit, countErasure, type ExecutionLog, type Trail } from "../audit";
import { checkUserId, MAX_LIMIT } from "../base";
import { type Connections, givenUpGrants, sentOrders } from "../connections";
import { endFlowsOfUser } from "../authorization";
import type { Core } from "../core";
import { unavailable } from "../errors";
import { type Identity, type Principal, resume, suspend } from "../identity";
import { endAccess } from "../people";
import type { Providers } from "../providers";
import { type Store, touch, type Transaction } from "../store";
import type { StdioWorkers } from "../workers";
import { UserExports } from "./export";
import { countsOf, knownUser, userIds } from "./lists";
import { removeUser } from "./repository";
import type { ErasedUser, UserExport, UsersFilter, UsersPage, UserState } from "./schema";

export interface UserParts {
  audit: Audit;
  trail: Trail;
  executionLog: ExecutionLog;
  logStore: Store;
  providers: Providers;
  connections: Connections;
  identity: Identity;
}

type UserPrograms = Pick<StdioWorkers, "removeUser" | "endUser">;

/** How often an erasure begins again because the user's grants have changed meanwhile. */
const ATTEMPTS = 5;
/** Comes before every valid id. */
const FIRST = "\u001F";

export class Users {
  readonly #core: Core;
  readonly #parts: UserParts;
  readonly #programs: UserPrograms;
  readonly #exports: UserExports;

  /** `programs`: workers that have processes and folders of users. */
  constructor(core: Core, programs: UserPrograms, parts: UserParts) {
    this.#core = core;
    this.#programs = programs;
    this.#parts = parts;
    this.#exports = new UserExports(core, parts.trail);
  }

  /** Everybody of whom something is stored, in the order of the ids. */
  async list(
    { projectId }: Principal,
    { user_id: one, after = FIRST, limit: given = MAX_LIMIT }: UsersFilter,
  ): Promise<UsersPage> {
    const limit = Math.min(given, MAX_LIMIT);
    await this.#parts.executionLog.flush();
    const stores = { store: this.#core.store, logStore: this.#parts.logStore };
    const ids =
      one === undefined
        ? await userIds(stores, projectId, { after, limit: limit + 1 })
        : await knownUser(stores, projectId, one);
    const shown = ids.slice(0, limit);
    const counts = await countsOf(this.#core.store, projectId, shown);
    const items = shown.map(async (user_id) => ({
      user_id,
      suspended: await this.#parts.identity.suspensions.has(projectId, user_id),
      ...counts(user_id),
    }));
    const last = shown.at(-1);
    return {
      items: await Promise.all(items),
      ...(ids.length > limit && last !== undefined ? { next: last } : {}),
    };
  }

  /** Everything that is stored about a user. Throws `invalid_parameter` for an id that is not valid. */
  async export(principal: Principal, userId: string): Promise<UserExport> {
    checkUserId(userId);
    const { audit } = this.#parts;
    const { projectId } = principal;
    await this.#core.store.write(() => audit.record(principal, "user.export", projectId, { user: userId }));
    return this.#exports.of(principal, userId);
  }

  /**
   * Deletes everything that is stored about a user, and revokes the user's grants. The audit trail keeps its entries under a
   * pseudonym whose user is forgotten. Throws `invalid_parameter`, and `unavailable` if the user's grants keep changing.
   */
  async erase(principal: Principal, userId: string): Promise<ErasedUser> {
    checkUserId(userId);
    const { projectId } = principal;
    const { providers, executionLog, connections } = this.#parts;
    const { executions, audit: _stays, ...before } = counted(await this.#exports.of(principal, userId));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const grants = await givenUpGrants(this.#core, providers, { projectId, userId });
      const number = await this.#core.store.write(() => this.#erase(principal, userId, grants.body));
      if (number === undefined) continue;
      await this.#programs.removeUser(projectId, userId);
      const removed = await executionLog.eraseUser(projectId, userId, number);
      // Other servers look again, now that the log tells them whose programs to end.
      await this.#core.store.write(() => touch("suspensions"));
      const { revoked, waiting } = await sentOrders(this.#core, connections.revocations, grants.orders);
      const erased = { ...before, executions: Math.max(executions ?? 0, removed) };
      return { user_id: userId, erased, revoked, to_revoke: waiting };
    }
    throw unavailable("The grants of this user keep changing. Try again.");
  }

  /** From now on nothing is done for the user, by any credential; consents that have begun, browser sessions and clients end. */
  async suspend(principal: Principal, userId: string): Promise<UserState> {
    checkUserId(userId);
    const { projectId } = principal;
    const { audit } = this.#parts;
    const now = this.#core.clock.now();
    await this.#core.store.write(function* (): Transaction<void> {
      if (!(yield* suspend(projectId, userId, now))) return;
      yield* endFlowsOfUser(audit, projectId, userId, "the user was suspended meanwhile", now);
      yield* endAccess(projectId, userId);
      yield* audit.record(principal, "user.suspend", projectId, { user: userId });
    });
    await this.#programs.endUser(projectId, userId);
    return { user_id: userId, suspended: true };
  }

  /** Ends a suspension. */
  async resume(principal: Principal, userId: string): Promise<UserState> {
    checkUserId(userId);
    const { projectId } = principal;
    const { audit } = this.#parts;
    await this.#core.store.write(function* (): Transaction<void> {
      if (yield* resume(projectId, userId))
        yield* audit.record(principal, "user.resume", projectId, { user: userId });
    });
    return { user_id: userId, suspended: false };
  }

  /** The number of the erasure. Undefined: nothing was erased, because the grants are others meanwhile. */
  *#erase(
    principal: Principal,
    userId: string,
    grants: () => Transaction<boolean>,
  ): Transaction<number | undefined> {
    const { projectId } = principal;
    const { audit } = this.#parts;
    // First the grants: their orders are made of rows that are deleted next.
    if (!(yield* grants())) return undefined;
    yield* removeUser(projectId, userId);
    yield* audit.record(principal, "user.erase", projectId, { user: userId });
    yield* audit.forgetUser(projectId, userId);
    return yield* countErasure();
  }
}

function counted(given: UserExport): Record<string, number> {
  const lists = Object.entries(given).flatMap(([name, value]) =>
    Array.isArray(value) ? [[name, value.length] as const] : [],
  );
  return Object.fromEntries(lists);
}
