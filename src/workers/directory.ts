// Finds the workers of a project: those of the configuration, then those that it has stored.
import type { Core } from "../core";
import type { StaticWorker } from "../config";
import type { Paging } from "../base";
import { type FixedWorker, fixedWorkers, ofProject } from "./fixed";
import type { KnownWorker } from "./known";
import * as repository from "./repository";
import { unknownWorker } from "./rows";

export class WorkerDirectory {
  readonly #core: Core;
  readonly #fixed: readonly FixedWorker[];

  /** `toolkits`: names of this server's own toolkits, in lower case. Throws `configuration`. */
  constructor(core: Core, fixed: readonly StaticWorker[], toolkits: ReadonlySet<string>) {
    this.#core = core;
    this.#fixed = fixedWorkers(fixed, toolkits);
  }

  isFixed(id: string): boolean {
    return this.#fixed.some(({ row }) => row.id === id);
  }

  /** The worker of the configuration with this toolkit, in lower case. */
  fixedWith(toolkit: string): string | undefined {
    return this.#fixed.find(({ row }) => row.toolkit.toLowerCase() === toolkit)?.row.id;
  }

  /** Throws `not_found`. */
  async find(projectId: string, id: string): Promise<KnownWorker> {
    const fixed = this.#fixed.find(({ row }) => row.id === id);
    if (fixed !== undefined) return ofProject(fixed, projectId);
    const row = await repository.findWorker(this.#core.store, projectId, id);
    if (row === undefined) throw unknownWorker();
    return { row };
  }

  /** An enabled one; undefined if there is none. */
  async findEnabled(projectId: string, id: string): Promise<KnownWorker | undefined> {
    return (await this.enabled(projectId)).find(({ row }) => row.id === id);
  }

  async page(
    projectId: string,
    { limit, offset }: Paging,
  ): Promise<{ workers: KnownWorker[]; total: number }> {
    const { store } = this.#core;
    const fixed = this.#fixed.slice(offset, offset + limit).map((one) => ofProject(one, projectId));
    const rest = { limit: limit - fixed.length, offset: Math.max(0, offset - this.#fixed.length) };
    const rows = await repository.listWorkers(store, projectId, rest);
    const total = this.#fixed.length + (await repository.countWorkers(store, projectId));
    return { workers: [...fixed, ...rows.map((row) => ({ row }))], total };
  }

  /** The enabled ones, oldest first. One of the configuration hides a stored one with its id. */
  async enabled(projectId: string): Promise<KnownWorker[]> {
    const rows = await repository.listEnabledWorkers(this.#core.store, projectId);
    const fixed = this.#fixed.filter(({ row }) => row.enabled === 1);
    const own = rows.filter(({ id }) => !this.isFixed(id)).map((row) => ({ row }));
    return [...fixed.map((one) => ofProject(one, projectId)), ...own];
  }
}
