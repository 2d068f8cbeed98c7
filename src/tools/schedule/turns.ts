// Which due runs are started next: projects take turns, and each has a share of the places.
import { inTurn, Places } from "../../base";
import type { Core } from "../../core";
import * as repository from "./due-repository";
import type { ListedRun } from "./repository";
import { RetriesAhead } from "./retries-ahead";

/** Runs at the same time, per process. */
const PLACES = { total: 100, share: 20 };
/** Due runs that are read at once. Only with more than these, projects are read one by one. */
const DUE = 100;
const PROJECTS = 100;

export class Turns {
  readonly #core: Core;
  readonly #retriesAhead: RetriesAhead;
  readonly #places = new Places(PLACES);
  /** The project that was served last. */
  #last = "";

  constructor(core: Core) {
    this.#core = core;
    this.#retriesAhead = new RetriesAhead(core);
  }

  /** Due runs in the order in which they should be started. */
  async due(): Promise<ListedRun[]> {
    return [...(await this.#retriesAhead.due()), ...(await this.#inTime())];
  }

  async #inTime(): Promise<ListedRun[]> {
    const { store, clock } = this.#core;
    const now = clock.now();
    const earliest = await repository.dueRuns(store, now, DUE);
    if (earliest.length < DUE) return this.order(earliest);
    const projects = await repository.dueProjects(store, now, this.#last, PROJECTS);
    const withRoom = projects.filter((project) => this.#places.roomOf(project) > 0);
    // Twice the share, because some of them may be waiting after a failure.
    const limit = 2 * PLACES.share;
    const runs = await Promise.all(
      withRoom.map((project) => repository.dueRunsOf(store, project, now, limit)),
    );
    return inTurn(runs);
  }

  /** One of each project, then another one of each, and so on. */
  order(runs: readonly ListedRun[]): ListedRun[] {
    return inTurn([...Map.groupBy(runs, ({ project_id }) => project_id).values()]);
  }

  /** Takes a place for a run. False if its project has none at the moment. */
  take({ project_id }: ListedRun): boolean {
    const taken = this.#places.take(project_id);
    if (taken) this.#last = project_id;
    return taken;
  }

  release({ project_id }: ListedRun): void {
    this.#places.release(project_id);
  }
}
