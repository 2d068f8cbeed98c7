// Workers that are programs of this machine: how each is started, for whom, and when its processes and folders go.
import { realpath } from "node:fs/promises";
import { allEnded, type Clock, type LeveledLog } from "../../base";
import { EgressError } from "../../egress";
import { RuntimeError } from "../../errors";
import type { Send } from "../../mcp";
import { CachedByGeneration, type Store } from "../../store";
import type { LoadedWorker } from "../tool";
import type { Channel } from "./channel";
import { covers, Homes, type WorkerKey } from "./homes";
import { ProcessPool, type Slot, type Start } from "./pool";
import type { Programs, ProcessSpec } from "./programs";
import type { StdioConfig } from "./schema";
import { stdioSend } from "./send";
import type { WorkerUser } from "../user-values";
import { filledArgument, filledEnvironment } from "./templates";

export interface StdioParts {
  store: Store;
  clock: Clock;
  log: LeveledLog;
  programs: Programs;
  /** For the folders of programs. */
  folder: string;
  /** Setting `stdio.max_processes`. */
  most: number;
  /** Folders and files of this server, which no program gets. */
  secretPaths: readonly string[];
  /** Of the project that exists now. Throws `not_found`. */
  incarnationOf(projectId: string): Promise<string>;
  /** The enabled worker as it is now. */
  workerOf(projectId: string, id: string): Promise<LoadedWorker | undefined>;
  /** The user with the own keys that the worker names, as they are now. */
  userOf(worker: LoadedWorker, userId: string): Promise<WorkerUser>;
  /** The number of the latest erasure of a user. */
  latestErasure(): Promise<number>;
  /** Nothing may go on for the user: suspended, or erased after the erasure with this number. */
  isOver(projectId: string, userId: string, erasure: number): Promise<boolean>;
  /** The worker says that its lists have changed. */
  stale(projectId: string, id: string): void;
}

/** A program of the machine: its record has `stdio`. */
export type ProgramWorker = LoadedWorker & { stdio: StdioConfig };

export function isProgram(worker: LoadedWorker): worker is ProgramWorker {
  return worker.stdio !== undefined;
}

/** A process in which a catalog is read. */
export interface Reading extends AsyncDisposable {
  send: Send;
  /** The last lines of its standard error. */
  lastWords(): string[];
  /** The program has answered. */
  answered(): Promise<void>;
}

export class StdioWorkers {
  readonly #parts: StdioParts;
  readonly #pool: ProcessPool;
  readonly #homes: Homes;
  readonly #incarnations: CachedByGeneration<string, string>;
  /** Workers whose catalog folder is in use: npm and its like do not share one. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  constructor(parts: StdioParts) {
    this.#parts = parts;
    this.#homes = new Homes(parts.folder);
    this.#incarnations = new CachedByGeneration(parts.store, "projects");
    const { store } = parts;
    const generation = async (): Promise<string> =>
      [
        await store.generation("workers"),
        await store.generation("projects"),
        await store.generation("connections"),
        await store.generation("suspensions"),
      ].join();
    this.#pool = new ProcessPool({ ...parts, generation });
  }

  /** The number of running processes. */
  get size(): number {
    return this.#pool.size;
  }

  /** Sends as a user. `fence`: rejects if nothing may be sent any more. */
  callSend(worker: ProgramWorker, user: WorkerUser, fence: (() => Promise<void>) | undefined): Send {
    const owner = worker.stdio.shared ? undefined : user;
    let slot: Slot | undefined;
    const open = async (signal: AbortSignal | undefined): Promise<Channel> => {
      const key = await this.#keyOf(worker);
      slot = slotOf(key, owner);
      return this.#pool.open(slot, await this.#start(worker, key, owner), signal);
    };
    const running = (): Channel | undefined => (slot === undefined ? undefined : this.#pool.running(slot));
    const reached = { open, running, fence };
    return async (request) => {
      slot ??= slotOf(await this.#keyOf(worker), owner);
      return stdioSend(reached)(request);
    };
  }

  /**
   * Starts a process that ends with the reading. `user`: whose own keys it gets. What it writes then belongs to that user, so
   * it has a folder that is deleted afterwards; otherwise its packages stay for the processes of users.
   */
  async reading(worker: ProgramWorker, user: WorkerUser | undefined): Promise<Reading> {
    const key = await this.#keyOf(worker);
    const home = user === undefined ? this.#homes.catalog(key) : this.#homes.passing(key);
    const release = await this.#turn(home);
    const slot = { ...slotOf(key, undefined), once: crypto.randomUUID() };
    let latest: Channel | undefined;
    const open = async (signal: AbortSignal | undefined): Promise<Channel> => {
      const spec = await this.#spec(worker, home, user);
      const prepare = (): Promise<void> => this.#homes.prepare(key, home, worker.stdio);
      const start = { spec, shared: false, prepare, current: async () => spec, changed: () => undefined };
      latest = await this.#pool.open(slot, start, signal);
      return latest;
    };
    return {
      send: stdioSend({ open, running: () => this.#pool.running(slot) }),
      lastWords: () => latest?.program.lastErrors() ?? [],
      answered: async () => {
        if (user === undefined) await this.#homes.complete(key, worker.stdio);
      },
      [Symbol.asyncDispose]: async () => {
        await this.#pool.endWhere(({ once }) => once === slot.once).finally(release);
        if (user !== undefined) await this.#homes.remove(home);
      },
    };
  }

  /** Ends the processes of a worker that was changed, disabled or deleted. */
  endWorker(projectId: string, id: string): Promise<void> {
    return this.#pool.endWhere((slot) => slot.projectId === projectId && slot.workerId === id);
  }

  /** Ends the processes of a user in a project. */
  endUser(projectId: string, userId: string): Promise<void> {
    return this.#pool.endWhere((slot) => slot.projectId === projectId && slot.userId === userId);
  }

  /** After the deletion of a worker: ends its processes and deletes their folders. */
  async removeWorker(row: { project_id: string; id: string; created_at: number }): Promise<void> {
    const { project_id: projectId, id, created_at: createdAt } = row;
    await this.endWorker(projectId, id);
    const incarnation = await this.#parts.incarnationOf(projectId);
    await this.#homes.removeWorker({ projectId, incarnation, id, createdAt });
  }

  /** Returns at once. `close` waits for it. */
  removeInBackground(row: Parameters<StdioWorkers["removeWorker"]>[0]): void {
    this.#background(this.removeWorker(row));
  }

  /** After a change of a worker or a user's key: ends the processes that would be started otherwise now. Returns at once. */
  lookInBackground(): void {
    this.#background(this.#pool.look());
  }

  /** Ends the processes of a user and deletes the folders, of all workers of the project. */
  async removeUser(projectId: string, userId: string): Promise<void> {
    await this.endUser(projectId, userId);
    await this.#homes.removeUser(
      { projectId, incarnation: await this.#parts.incarnationOf(projectId) },
      userId,
    );
  }

  /** After the deletion of a project. */
  /** Returns at once. `close` waits for it. */
  removeProjectInBackground(projectId: string, incarnation: string): void {
    this.#background(this.removeProject(projectId, incarnation));
  }

  async removeProject(projectId: string, incarnation: string): Promise<void> {
    await this.#pool.endWhere((slot) => slot.projectId === projectId);
    await this.#homes.removeProject({ projectId, incarnation });
  }

  async close(): Promise<void> {
    await allEnded(this.#running);
    await this.#pool.close();
  }

  #background(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => this.#parts.log.error("programs could not be ended", { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** `owner`: undefined: all users. */
  async #start(worker: ProgramWorker, key: WorkerKey, owner: WorkerUser | undefined): Promise<Start> {
    const { stdio, projectId, id } = worker;
    const home = owner === undefined ? this.#homes.shared(key) : this.#homes.user(key, owner.id);
    const user = owner && { id: owner.id, erasure: await this.#parts.latestErasure() };
    return {
      spec: await this.#spec(worker, home, owner),
      shared: owner === undefined,
      prepare: () => this.#prepared(key, home, stdio),
      changed: () => this.#parts.stale(projectId, id),
      current: () => this.#current(worker, key, user),
    };
  }

  /** What a process of the owner would be started with now; undefined if there must be none. */
  async #current(
    { projectId, id }: ProgramWorker,
    before: WorkerKey,
    user: { id: string; erasure: number } | undefined,
  ): Promise<ProcessSpec | undefined> {
    const worker = await this.#parts.workerOf(projectId, id);
    if (worker === undefined || !isProgram(worker) || worker.stdio.shared !== (user === undefined))
      return undefined;
    // Workers of the configuration belong to every project, also to one that was deleted.
    const key = await this.#keyOf(worker).catch(noneIfMissing);
    if (!Bun.deepEquals(key, before)) return undefined;
    if (user !== undefined && (await this.#parts.isOver(projectId, user.id, user.erasure))) return undefined;
    const owner = user === undefined ? undefined : await this.#parts.userOf(worker, user.id);
    return (await this.#start(worker, before, owner)).spec;
  }

  async #spec(worker: ProgramWorker, home: string, user: WorkerUser | undefined): Promise<ProcessSpec> {
    const { command, arguments: given, environment, sandbox, read, write } = worker.stdio;
    await this.#checkPaths([...read, ...write]);
    const secrets = await worker.secrets();
    return {
      command,
      arguments: given.map((text) => filledArgument(text, home, secrets)),
      environment: filledEnvironment(environment, home, { secrets, user }),
      home,
      sandbox,
      read,
      write,
    };
  }

  /** Throws `EgressError` for a path that would give a program the data or the keys of this server. */
  async #checkPaths(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const real = await realpath(path).catch(() => path);
      const isOurs = this.#parts.secretPaths.some((secret) => covers(real, secret) || covers(secret, real));
      if (isOurs)
        throw new EgressError(
          "address_refused",
          `The program may not be given ${path}: it has data or keys of this server. Give it another folder (mcp.stdio.read, mcp.stdio.write).`,
          { maybeSent: false },
        );
    }
  }

  async #prepared(key: WorkerKey, home: string, stdio: StdioConfig): Promise<void> {
    const release = await this.#turn(this.#homes.catalog(key));
    await this.#homes.prepare(key, home, stdio).finally(release);
  }

  /** Resolves when nothing else uses the folder, to the function that gives it free. */
  async #turn(folder: string): Promise<() => void> {
    const before = this.#turns.get(folder);
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = (before ?? Promise.resolve()).then(() => promise);
    this.#turns.set(folder, mine);
    await before;
    return () => {
      if (this.#turns.get(folder) === mine) this.#turns.delete(folder);
      resolve();
    };
  }

  async #keyOf({ projectId, id, createdAt }: LoadedWorker): Promise<WorkerKey> {
    const incarnation = await this.#incarnations.get(projectId, (of) => this.#parts.incarnationOf(of));
    return { projectId, incarnation, id, createdAt };
  }
}

function noneIfMissing(error: unknown): undefined {
  if (error instanceof RuntimeError && error.name === "not_found") return undefined;
  throw error;
}

/** Undefined: all users, or none. */
function slotOf({ projectId, incarnation, id, createdAt }: WorkerKey, owner: WorkerUser | undefined): Slot {
  return { projectId, workerId: id, incarnation: `${incarnation} ${createdAt}`, userId: owner?.id ?? "" };
}
