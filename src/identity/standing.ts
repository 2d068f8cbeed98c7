// Whether the credential of a call that has begun still works, and notice of the moment in which it stops, in any process.
import type { Core } from "../core";
import { invalidAuthorization, RuntimeError } from "../errors";
import { CachedByGeneration } from "../store";
import type { OwnTokens } from "./own-tokens";
import type { Principal, UserPrincipal } from "./principal";
import * as repository from "./repository";
import type { Suspensions } from "./suspensions";
import { findWorkload } from "./workload-repository";

/** How soon an expiry is noticed, which changes nothing in the database. */
const CHECK_MS = 1000;

interface Watched {
  principal: Principal;
  lost: () => void;
}

export class Standing {
  readonly #core: Core;
  readonly #suspensions: Suspensions;
  readonly #ownTokens: () => OwnTokens;
  readonly #incarnations: CachedByGeneration<string, string | undefined>;
  /** When a key expires, or null; by id. Undefined: the key does not exist. */
  readonly #expiries: CachedByGeneration<string, { at: number | null } | undefined>;
  /** Whether a workload exists, by id. */
  readonly #workloads: CachedByGeneration<string, boolean>;
  readonly #watched = new Set<Watched>();
  #idle: AbortController | undefined;

  constructor(core: Core, suspensions: Suspensions, ownTokens: () => OwnTokens) {
    this.#core = core;
    this.#ownTokens = ownTokens;
    this.#suspensions = suspensions;
    this.#incarnations = new CachedByGeneration(core.store, "projects");
    this.#expiries = new CachedByGeneration(core.store, "keys");
    this.#workloads = new CachedByGeneration(core.store, "workloads");
  }

  /**
   * Throws `invalid_authorization` if the project was deleted, even if another project has its id now, and if the key was
   * revoked or has expired, the workload was removed, the person has ended what the client was allowed, or its sign-in has
   * ended, and `forbidden` for a suspended user.
   */
  async requireCurrent(principal: Principal): Promise<void> {
    const { projectId, incarnation } = principal;
    const current = await this.#incarnations.get(projectId, (id) => this.#incarnationOf(id));
    if (current === undefined || (incarnation !== undefined && incarnation !== current))
      throw invalidAuthorization("The project of this credential was deleted.");
    if (principal.kind === "user") {
      await this.#suspensions.check(projectId, principal.userId);
      const { userId, grant, signIn } = principal;
      if (grant !== undefined && !(await this.#ownTokens().isGranted({ projectId, userId, grant, signIn })))
        throw invalidAuthorization(
          "What the user had allowed this client was revoked, or its sign-in has ended.",
        );
    }
    if (principal.kind !== "key") return;
    if (principal.workload !== undefined) return this.#requireWorkload(projectId, principal.keyId);
    const expiry = await this.#expiries.get(principal.keyId, (id) => this.#expiryOf(projectId, id));
    if (expiry === undefined) throw invalidAuthorization("The API key does not exist or was revoked.");
    if (expiry.at !== null && expiry.at <= this.#core.clock.now())
      throw invalidAuthorization("The API key has expired.");
  }

  /**
   * A user for whom a client acts without a token; undefined if the user has ended what the client was allowed, or can no longer
   * sign in.
   */
  async granted(user: UserPrincipal, grant: string): Promise<UserPrincipal | undefined> {
    const { projectId, userId } = user;
    const ownTokens = this.#ownTokens();
    const role = await ownTokens.roleOf(projectId, userId);
    const isGranted = role !== undefined && (await ownTokens.isGranted({ projectId, userId, grant }));
    return isGranted ? { ...user, role, grant } : undefined;
  }

  /** Calls `lost` once when the credential has stopped working. The returned function ends the watch. */
  watch(principal: Principal, lost: () => void): () => void {
    const one = { principal, lost };
    this.#watched.add(one);
    if (this.#idle === undefined) void this.#run();
    else void this.#check(one);
    return () => this.#forget(one);
  }

  // One loop for all calls, while there are any.
  async #run(): Promise<void> {
    const idle = (this.#idle = new AbortController());
    while (!idle.signal.aborted) {
      try {
        const generation = await this.#core.store.generation("keys");
        await Promise.all([...this.#watched].map((one) => this.#check(one)));
        const wait = { timeoutMs: CHECK_MS, signal: idle.signal };
        if (!idle.signal.aborted) await this.#core.store.changed("keys", generation, wait);
      } catch {
        // The database cannot be read at the moment.
        await Bun.sleep(CHECK_MS);
      }
    }
  }

  async #check(one: Watched): Promise<void> {
    try {
      await this.requireCurrent(one.principal);
    } catch (error) {
      const isLost = error instanceof RuntimeError && (error.status === 401 || error.status === 403);
      if (!isLost || !this.#watched.has(one)) return;
      this.#forget(one);
      one.lost();
    }
  }

  #forget(one: Watched): void {
    this.#watched.delete(one);
    if (this.#watched.size > 0) return;
    this.#idle?.abort();
    this.#idle = undefined;
  }

  async #requireWorkload(projectId: string, id: string): Promise<void> {
    const load = async (): Promise<boolean> =>
      (await findWorkload(this.#core.store, projectId, id)) !== undefined;
    if (!(await this.#workloads.get(id, load))) throw invalidAuthorization("The workload was removed.");
  }

  async #incarnationOf(projectId: string): Promise<string | undefined> {
    return (await repository.findProject(this.#core.store, projectId))?.incarnation;
  }

  async #expiryOf(projectId: string, keyId: string): Promise<{ at: number | null } | undefined> {
    const row = await repository.findKey(this.#core.store, projectId, keyId);
    return row === undefined ? undefined : { at: row.expires_at };
  }
}
