// Reads catalogs again in the background: those that are too old, of projects whose tools are used, and those that a worker
// says have changed. Short commands end before anything is read.
import { allEnded, RecentMap } from "../base";
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import { dueTimes, makeCatalogDue } from "./catalog-repository";
import type { WorkerDirectory } from "./directory";
import type { KnownWorker } from "./known";
import type { Refresher } from "./refresh";

/** Workers that are read at the same time. */
const AT_ONCE = 4;
/** How long a project is not looked at again. */
const LOOK_EVERY_MS = 15_000;
/** A worker may announce changes one after the other: they are read together. Also longer than most commands take. */
const DELAY_MS = 1000;
const MOST_PROJECTS = 10_000;
/** A worker that announces changes all the time is read this often: each change is an audit entry. */
const BETWEEN_CHANGES_MS = 5000;
const MOST_WORKERS = 10_000;

export class Upkeep {
  readonly #core: Core;
  readonly #directory: WorkerDirectory;
  readonly #refresher: Refresher;
  readonly #nextLook = new RecentMap<string, number>(MOST_PROJECTS);
  /** Workers that wait to be read or are being read, by project and id; `again`: told meanwhile. */
  readonly #waiting = new Map<string, { again: boolean }>();
  /** When workers were read last because they said that they had changed, by project and id. */
  readonly #told = new RecentMap<string, number>(MOST_WORKERS);
  /** Workers that are being read, by project and id. */
  readonly #reading = new Set<string>();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(core: Core, directory: WorkerDirectory, refresher: Refresher) {
    this.#core = core;
    this.#directory = directory;
    this.#refresher = refresher;
  }

  /** Looks after the catalogs of a project whose tools are used. Returns at once. */
  used(projectId: string): void {
    const now = this.#core.clock.monotonic();
    if ((this.#nextLook.get(projectId) ?? -Infinity) > now) return;
    this.#nextLook.set(projectId, now + LOOK_EVERY_MS);
    this.#start(() => this.#look(projectId));
  }

  /** The worker says that its catalog has changed, or a tool is unknown to it. Returns at once. */
  stale(projectId: string, id: string): void {
    const key = keyOf(projectId, id);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.again = true;
      return;
    }
    this.#waiting.set(key, { again: false });
    this.#start(() => this.#readUntilCurrent(projectId, id, key));
  }

  /** Reads the catalogs of the project's workers that `waits` selects. Returns at once. */
  granted(projectId: string, waits: (worker: KnownWorker) => boolean): void {
    this.#start(async () => {
      for (const worker of await this.#directory.enabled(projectId))
        if (waits(worker)) this.stale(projectId, worker.row.id);
    });
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#refresher.close();
    await allEnded(this.#running);
  }

  #start(work: () => Promise<void>): void {
    const { log } = this.#core;
    const running = work()
      .catch((error: unknown) => log.error("catalogs of workers could not be refreshed", { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #look(projectId: string): Promise<void> {
    if (!(await this.#pause(DELAY_MS))) return;
    const now = this.#core.clock.now();
    const workers = await this.#directory.enabled(projectId);
    if (workers.length === 0) return;
    const times = await dueTimes(this.#core.store, projectId);
    const due = workers.filter(({ row }) => (times.get(row.id) ?? 0) <= now);
    const read = async (): Promise<void> => {
      for (let worker = due.shift(); worker !== undefined; worker = due.shift()) {
        if (!this.#reading.has(keyOf(projectId, worker.row.id))) await this.#read(worker);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, read));
  }

  async #readUntilCurrent(projectId: string, id: string, key: string): Promise<void> {
    try {
      // Another process finds it due if this one ends before it has read it.
      await this.#core.store.write(() => makeCatalogDue(projectId, id));
      for (;;) {
        const now = this.#core.clock.monotonic();
        const since = now - (this.#told.get(key) ?? -Infinity);
        if (!(await this.#pause(Math.max(DELAY_MS, BETWEEN_CHANGES_MS - since)))) return;
        this.#told.set(key, this.#core.clock.monotonic());
        const state = this.#waiting.get(key);
        if (state !== undefined) state.again = false;
        const worker = await this.#find(projectId, id);
        if (worker !== undefined) await this.#read(worker);
        if (worker === undefined || state?.again !== true) return;
      }
    } finally {
      this.#waiting.delete(key);
    }
  }

  async #read(worker: KnownWorker): Promise<void> {
    const { project_id: projectId, id } = worker.row;
    if (this.#closing.signal.aborted) return;
    const key = keyOf(projectId, id);
    this.#reading.add(key);
    const outcome = await this.#refresher.read(worker).finally(() => this.#reading.delete(key));
    if (this.#closing.signal.aborted) return;
    const reader = { kind: "server", projectId } as const;
    await this.#core.store.write(() => this.#refresher.store(reader, worker, outcome));
    if ("failure" in outcome)
      this.#core.log.warn("the catalog of a worker could not be read", {
        project_id: projectId,
        id,
        reason: outcome.failure.reason,
      });
  }

  /** Undefined for a worker that was deleted or disabled. */
  async #find(projectId: string, id: string): Promise<KnownWorker | undefined> {
    try {
      const worker = await this.#directory.find(projectId, id);
      return worker.row.enabled === 1 ? worker : undefined;
    } catch (error) {
      if (error instanceof RuntimeError) return undefined;
      throw error;
    }
  }

  /** False if the process ends. */
  async #pause(ms: number): Promise<boolean> {
    await this.#core.clock.sleep(ms, this.#closing.signal);
    return !this.#closing.signal.aborted;
  }
}

function keyOf(projectId: string, id: string): string {
  return `${projectId}\n${id}`;
}
