// The tools of a project's workers, as catalogs. They are made from the stored catalogs: no worker is asked.
import { present, RecentMap } from "../base";
import type { Core } from "../core";
import { CachedByGeneration } from "../store";
import type { Catalog, ToolDefinition } from "../tools";
import { listCatalogHashes, findOffered, listOffered, type OfferedRow } from "./catalog-repository";
import { WorkerTurns } from "./call-limits";
import { configOf } from "./config";
import { type Contents, contentsOf, namesOf, type NamesOfToolkit } from "./contents";
import { lateDefinition } from "./definitions";
import type { SignIdentity } from "./identity";
import type { WorkerDirectory } from "./directory";
import { type KnownWorker, loadedWorker } from "./known";
import { withTrust } from "./mcp";
import type { WorkerKinds } from "./refresh";
import type { LoadedWorker, ReadCatalog, Skipped, WorkerTool } from "./tool";

/** A catalog of a worker. */
export type WorkerCatalog = Catalog & Required<Pick<Catalog, "worker">>;

/** What the workers of a project offer. */
export interface Offered {
  catalogs: readonly WorkerCatalog[];
  /** Toolkits that are left out because another worker or this server has one of the same name, by worker. */
  collisions: ReadonlyMap<string, readonly Skipped[]>;
}

/** Makes the definition of a tool, except how it is run. */
export type Define = (tool: WorkerTool, run: ToolDefinition["run"]) => ToolDefinition;

/** The catalogs of one worker, kept while neither the worker nor its accepted tools change. */
interface Kept {
  hash: string;
  /** JSON: another worker may have the same id and version, and a rotation seals the secrets of this one again. */
  row: string;
  contents: string;
  catalogs: readonly WorkerCatalog[];
}

/** From this number of workers on, all rows are read with one statement. */
const MANY = 8;
/** Projects whose definitions are kept. */
const MOST_PROJECTS = 500;

export class OfferedCatalogs {
  readonly #core: Core;
  readonly #sign: SignIdentity;
  readonly #kinds: WorkerKinds;
  readonly #define: Define;
  readonly #builtIn: ReadonlySet<string>;
  readonly #directory: WorkerDirectory;
  readonly #offered: CachedByGeneration<string, Offered>;
  readonly #turns: WorkerTurns;
  readonly #kept = new RecentMap<string, ReadonlyMap<string, Kept>>(MOST_PROJECTS);

  /** `toolkits`: those of this server itself. */
  constructor(
    core: Core,
    parts: {
      kinds: WorkerKinds;
      define: Define;
      toolkits: readonly string[];
      directory: WorkerDirectory;
      sign: SignIdentity;
    },
  ) {
    this.#core = core;
    this.#sign = parts.sign;
    this.#kinds = parts.kinds;
    this.#define = parts.define;
    this.#builtIn = new Set(parts.toolkits.map((name) => name.toLowerCase()));
    this.#directory = parts.directory;
    this.#offered = new CachedByGeneration(core.store, "workers");
    this.#turns = new WorkerTurns(core.clock);
  }

  /** The same object while nothing changes. */
  async of(projectId: string): Promise<Offered> {
    return this.#offered.get(projectId, () => this.#load(projectId));
  }

  async #load(projectId: string): Promise<Offered> {
    const workers = await this.#directory.enabled(projectId);
    if (workers.length === 0) return NOTHING;
    const known = this.#kept.get(projectId);
    const hashes = new Map(
      (await listCatalogHashes(this.#core.store, projectId)).map((facts) => [facts.worker_id, facts]),
    );
    const changed = workers.filter(({ row }) => {
      const [kept, facts] = [known?.get(row.id), hashes.get(row.id)];
      if (facts === undefined || facts.accepted_hash === "") return false;
      return (
        kept?.hash !== facts.accepted_hash ||
        kept.contents !== facts.contents_hash ||
        kept.row !== JSON.stringify(row)
      );
    });
    const rows = await this.#rows(projectId, changed, workers.length);
    const kept = new Map<string, Kept>();
    for (const worker of workers) {
      const { id } = worker.row;
      const row = rows.get(id);
      const before = known?.get(id);
      if (row !== undefined) kept.set(id, this.#keep(worker, row));
      else if (before !== undefined && hashes.get(id)?.accepted_hash === before.hash) kept.set(id, before);
    }
    this.#kept.set(projectId, kept);
    return this.#withoutCollisions(kept);
  }

  /** `total`: how many workers the project has. */
  async #rows(
    projectId: string,
    workers: readonly KnownWorker[],
    total: number,
  ): Promise<ReadonlyMap<string, OfferedRow>> {
    const { store } = this.#core;
    const rows =
      workers.length >= MANY && workers.length > total / 2
        ? await listOffered(store, projectId)
        : await Promise.all(workers.map(({ row }) => findOffered(store, projectId, row.id)));
    const wanted = new Set(workers.map(({ row }) => row.id));
    return new Map(
      rows.flatMap((row) =>
        row === undefined || !wanted.has(row.worker_id) ? [] : [[row.worker_id, row] as const],
      ),
    );
  }

  #keep(worker: KnownWorker, row: OfferedRow): Kept {
    const loaded = loadedWorker({ keyring: this.#core.keyring, sign: this.#sign }, worker);
    const kind = this.#kinds[loaded.type];
    let tools: WorkerTool[] | undefined;
    // Parsed when a definition is first looked at.
    const toolAt = (index: number): WorkerTool => {
      tools ??= JSON.parse(row.accepted) as WorkerTool[];
      const tool = tools[index];
      if (tool === undefined) throw new Error(`the catalog of the worker ${loaded.id} has no tool ${index}`);
      return tool;
    };
    const key = `${loaded.projectId}\n${loaded.id}`;
    const { limits = {} } = configOf(worker.row);
    const define = (index: number): ToolDefinition => {
      const tool = withTrust(loaded, withConsent(loaded, toolAt(index)));
      const run = kind.run(loaded, tool);
      const defined = this.#define(tool, (input, context) =>
        this.#turns.run(key, limits, context, () => run(input, context)),
      );
      return loaded.userKeys.length === 0 ? defined : { ...defined, userKeys: loaded.userKeys };
    };
    const contents = contentsOf(row);
    const catalogWorker = workerOf(loaded, contents);
    let offset = 0;
    const catalogs = namesOf(row).map((group) => {
      const start = offset;
      offset += group.names.length;
      return {
        toolkit: toolkitOf(loaded, group, contents.server),
        bases: kind.bases(loaded),
        worker: catalogWorker,
        tools: group.names.map((name, at) => lateDefinition(name, () => define(start + at))),
      };
    });
    return {
      hash: row.accepted_hash,
      row: JSON.stringify(worker.row),
      contents: row.contents_hash,
      catalogs,
    };
  }

  /** The first one keeps a toolkit: this server, then the oldest worker. */
  #withoutCollisions(kept: ReadonlyMap<string, Kept>): Offered {
    const owners = new Map<string, string>();
    const collisions = new Map<string, Skipped[]>();
    const catalogs: WorkerCatalog[] = [];
    for (const [id, { catalogs: own }] of kept) {
      for (const catalog of own) {
        const { name } = catalog.toolkit;
        const key = name.toLowerCase();
        const owner = owners.get(key) ?? id;
        if (!this.#builtIn.has(key) && owner === id) {
          owners.set(key, id);
          catalogs.push(catalog);
          continue;
        }
        const whose = this.#builtIn.has(key) ? "this server itself" : `the worker ${owner}`;
        const reason = `The toolkit is left out: ${whose} has one with this name.`;
        collisions.set(id, [...(collisions.get(id) ?? []), { name, reason }]);
      }
    }
    return { catalogs, collisions };
  }
}

/** All tools of a worker with OAuth need the user's grant for it. */
function withConsent({ providerId, scopes = [] }: LoadedWorker, tool: WorkerTool): WorkerTool {
  if (providerId === undefined) return tool;
  return { ...tool, authorization: { id: providerId, scopes: [...scopes] } };
}

const NOTHING: Offered = { catalogs: [], collisions: new Map() };

const VERSION = /^[\w.+-]{1,100}$/;

function toolkitOf(
  worker: LoadedWorker,
  { toolkit }: NamesOfToolkit,
  server: ReadCatalog["server"],
): Catalog["toolkit"] {
  const { name, description, version } = toolkit ?? {
    name: worker.toolkit,
    description: server?.description ?? server?.title ?? server?.name,
    version: server?.version,
  };
  return {
    name,
    description: description ?? "",
    version: version !== undefined && VERSION.test(version) ? version : "0.0.0",
  };
}

function workerOf({ id, type }: LoadedWorker, contents: Contents): WorkerCatalog["worker"] {
  const { prompts, resources, resourceTemplates, offers } = contents;
  return { id, type, ...present({ prompts, resources, resourceTemplates, completes: offers?.completions }) };
}
