// Users for whom nothing is done until an administrator resumes them, by any credential and through any entry point.
import type { Core } from "../core";
import { forbidden } from "../errors";
import { CachedByGeneration, query, run, type Store, touch, type Transaction } from "../store";
import { actFor, type Principal } from "./principal";

const OF_PROJECT = query<{ user_id: string }>("SELECT user_id FROM suspended_users WHERE project_id = ?");
const ADD = query(
  "INSERT INTO suspended_users (project_id, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
);
const REMOVE = query("DELETE FROM suspended_users WHERE project_id = ? AND user_id = ?");

export class Suspensions {
  readonly #store: Store;
  readonly #ofProject: CachedByGeneration<string, ReadonlySet<string>>;

  constructor({ store }: Pick<Core, "store">) {
    this.#store = store;
    this.#ofProject = new CachedByGeneration(store, "suspensions");
  }

  /** Throws `forbidden` for a suspended user. */
  async check(projectId: string, userId: string): Promise<void> {
    if (await this.has(projectId, userId))
      throw forbidden("This user is suspended. An administrator can end that: runtime users resume USER");
  }

  /** The user for whom something is done. Throws what `actFor` throws, and `forbidden` for a suspended user. */
  async actFor(principal: Principal, userId: string | undefined): Promise<string> {
    const user = actFor(principal, userId);
    await this.check(principal.projectId, user);
    return user;
  }

  /** Throws `forbidden` if the principal is a suspended user, or acts for one. */
  async requireActive(principal: Principal, userId?: string): Promise<void> {
    const user = principal.kind === "user" ? principal.userId : userId;
    if (user !== undefined) await this.check(principal.projectId, user);
  }

  async has(projectId: string, userId: string): Promise<boolean> {
    return (await this.#ofProject.get(projectId, this.#load)).has(userId);
  }

  readonly #load = async (projectId: string): Promise<ReadonlySet<string>> =>
    new Set((await this.#store.all(OF_PROJECT, projectId)).map(({ user_id }) => user_id));
}

/** False if the user was suspended already. */
export function* suspend(projectId: string, userId: string, now: number): Transaction<boolean> {
  const added = yield* run(ADD, projectId, userId, now);
  yield* touch("suspensions");
  return added > 0;
}

/** False if the user was not suspended. */
export function* resume(projectId: string, userId: string): Transaction<boolean> {
  const removed = yield* run(REMOVE, projectId, userId);
  yield* touch("suspensions");
  return removed > 0;
}
