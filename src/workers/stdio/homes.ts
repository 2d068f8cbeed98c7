// The folders of programs: one for each user of a worker, and one in which its catalog is read. Only the program of that
// user and the operator reads a user's folder. It begins as a copy of the one of the catalog, so that the packages that a program
// has downloaded there are not downloaded again. What a user's program writes reaches no other user: the copy is made once, before
// the first process of the user runs, and nothing goes back.
import { constants } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { netstrings } from "../../base";
import { hashOf } from "../../crypto";
import type { StdioConfig } from "./schema";

/** The project that a folder belongs to. One that is made later with the same id is another. */
export interface ProjectKey {
  projectId: string;
  incarnation: string;
}

export interface WorkerKey extends ProjectKey {
  id: string;
  /** Of the record: one that is made later with the same id is another. */
  createdAt: number;
}

/** Parts of a folder that no program needs again. */
const LEFT_OUT = [join(".npm", "_cacache"), join(".npm", "_logs"), "tmp"];
const HEX = 32;
/** In the name of a folder that is being deleted. It stays if the server is killed meanwhile. */
const REMOVED = ".removed-";

export class Homes {
  readonly #root: string;

  /** `root`: below the data folder. */
  constructor(root: string) {
    this.#root = root;
  }

  project({ projectId, incarnation }: ProjectKey): string {
    return join(this.#root, nameOf([projectId, incarnation]));
  }

  worker(key: WorkerKey): string {
    return join(this.project(key), nameOf([key.id, String(key.createdAt)]));
  }

  /** Where the catalog is read. No user's data gets there. */
  catalog(key: WorkerKey): string {
    return join(this.worker(key), "catalog");
  }

  /** For one process. */
  passing(key: WorkerKey): string {
    return join(this.worker(key), `passing-${crypto.randomUUID()}`);
  }

  user(key: WorkerKey, userId: string): string {
    return join(this.worker(key), "users", nameOf([userId]));
  }

  shared(key: WorkerKey): string {
    return join(this.worker(key), "shared");
  }

  /** Makes a folder for a process, as a copy of that of the catalog if that is complete. */
  async prepare(key: WorkerKey, home: string, stdio: StdioConfig): Promise<void> {
    if (await exists(home)) return;
    const beginning = `${home}.${crypto.randomUUID()}`;
    await mkdir(beginning, { recursive: true, mode: 0o700 });
    const catalog = this.catalog(key);
    if (home !== catalog && (await readText(this.#mark(key))) === markOf(stdio)) {
      const filter = (path: string): boolean => !LEFT_OUT.includes(relative(catalog, path));
      const copied = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE, filter };
      await cp(catalog, beginning, copied);
    }
    await rename(beginning, home).catch(async (error: unknown) => {
      await rm(beginning, { recursive: true, force: true });
      // Another process of this server was faster.
      if (!(await exists(home))) throw error;
    });
  }

  /** The program has answered in the folder of the catalog: what it needs is there. */
  async complete(key: WorkerKey, stdio: StdioConfig): Promise<void> {
    await writeFile(this.#mark(key), markOf(stdio), { mode: 0o600 });
  }

  remove(home: string): Promise<void> {
    return remove(home);
  }

  async removeProject(key: ProjectKey): Promise<void> {
    await remove(this.project(key));
  }

  async removeWorker(key: WorkerKey): Promise<void> {
    await remove(this.worker(key));
  }

  /** Of all workers of the project. */
  async removeUser(key: ProjectKey, userId: string): Promise<void> {
    const project = this.project(key);
    const workers = await readdir(project).catch(() => []);
    for (const worker of workers) await remove(join(project, worker, "users", nameOf([userId])));
  }

  #mark(key: WorkerKey): string {
    return join(this.worker(key), "complete");
  }
}

/** Names of people and projects are not names of folders: they may have any characters, and any length. */
function nameOf(parts: readonly string[]): string {
  return hashOf(netstrings(parts)).slice(0, HEX);
}

/** Another program needs other packages. */
function markOf({ command, arguments: given }: StdioConfig): string {
  return hashOf(netstrings([command, ...given]));
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** At once under its name; a process that still runs in it cannot keep it. Also deletes what earlier removals have left. */
async function remove(folder: string): Promise<void> {
  const gone = `${folder}${REMOVED}${crypto.randomUUID()}`;
  try {
    await rename(folder, gone);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  await rm(gone, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  const upper = dirname(folder);
  const others = (await readdir(upper).catch(() => [])).filter((name) => name.includes(REMOVED));
  // Another process may be deleting the same.
  for (const name of others)
    await rm(join(upper, name), { recursive: true, force: true }).catch(() => undefined);
}

/** Whether one path is the other, or above it. */
export function covers(upper: string, path: string): boolean {
  return upper === path || path.startsWith(upper.endsWith(sep) ? upper : upper + sep);
}
