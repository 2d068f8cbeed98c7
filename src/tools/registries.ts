// The tools of each project: those that are compiled in, and those of its workers.
import { CachedByGeneration, type Store } from "../store";
import type { Catalog } from "./definition";
import { Registry } from "./registry";

/** Where the tools of a project come from that are not compiled in. Changes of them raise the generation `workers`. */
export interface ToolSource {
  catalogsOf(projectId: string): Promise<readonly Catalog[]>;
  /** Told about each look at the tools of a project; returns at once. */
  used?(projectId: string): void;
}

/** Number of projects whose tools are kept. */
const MAX_PROJECTS = 1000;

export class Registries {
  /** The tools that are compiled in. */
  readonly builtIn: Registry;
  readonly #source: ToolSource;
  readonly #ofProject: CachedByGeneration<string, Registry>;

  constructor(store: Store, catalogs: readonly Catalog[], source: ToolSource) {
    this.builtIn = new Registry(catalogs);
    this.#source = source;
    this.#ofProject = new CachedByGeneration(store, "workers", MAX_PROJECTS);
  }

  async of(projectId: string): Promise<Registry> {
    this.#source.used?.(projectId);
    return this.#ofProject.get(projectId, async () => {
      const catalogs = await this.#source.catalogsOf(projectId);
      return catalogs.length === 0 ? this.builtIn : this.builtIn.with(catalogs);
    });
  }
}
