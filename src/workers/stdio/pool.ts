// The processes of programs: one for each user of a worker, or one for all of them. They start with the first call, and end when
// they have not been used for a while, when their worker, user or project is no longer what it was, and with this server.
import { type Alarm, type Clock, isFresh, type LeveledLog, netstrings, reveal, setAlarm } from "../../base";
import { hashOf } from "../../crypto";
import { EgressError } from "../../egress";
import { Backoff } from "./backoff";
import { Channel, howEnded } from "./channel";
import { exists } from "./homes";
import { ErrorLog } from "./notes";
import type { Programs, ProcessSpec, RunningProgram } from "./programs";

/** Whose process it is. A slot has one at a time. */
export interface Slot {
  projectId: string;
  workerId: string;
  /** The project and the worker as they are now: later ones of the same names are others. */
  incarnation: string;
  /** Empty: of all users, or of none. */
  userId: string;
  /** Of a process in which a catalog is read: it has no other users. */
  once?: string;
}

/** What a process is started with. */
export interface Start {
  spec: ProcessSpec;
  shared: boolean;
  /** Makes the folder. */
  prepare(): Promise<void>;
  /** The program says that its lists have changed. */
  changed(): void;
  /** The start that a process of this slot would have now; undefined if there must be none. */
  current(): Promise<ProcessSpec | undefined>;
}

interface Entry {
  slot: Slot;
  /** Of the settings and values that it was started with. */
  fingerprint: string;
  start: Start;
  /** That of the database when the settings were looked at last. */
  generation: string;
  startedAt: number;
  usedAt: number;
  channel: Promise<Channel>;
  running?: Channel;
  errors: ErrorLog;
  /** It is being ended on purpose. */
  isEnding: boolean;
}

const IDLE_MS = 10 * 60_000;
/** How often folders and settings of running processes are looked at: other processes and other servers change them too. */
const LOOK_MS = 1000;
/** A call waits so long for a program that may not start yet. */
const MOST_WAIT_MS = 4000;

interface PoolParts {
  programs: Programs;
  clock: Clock;
  log: LeveledLog;
  /** The most processes at the same time, of all workers. */
  most: number;
  /** Changes when a worker, a project, a user's key or whether a user is suspended may have changed. */
  generation(): Promise<string>;
}

export class ProcessPool {
  readonly #parts: PoolParts;
  readonly #entries = new Map<string, Entry>();
  readonly #backoff: Backoff;
  #look: Alarm | undefined;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.clock);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The running process of a slot with these settings; undefined if there is none. */
  running(slot: Slot): Channel | undefined {
    const entry = this.#entries.get(keyOf(slot));
    return entry === undefined || entry.isEnding ? undefined : entry.running;
  }

  /** The process of a slot, which is started if there is none with these settings. Rejects with `EgressError`. */
  async open(slot: Slot, start: Start, signal?: AbortSignal): Promise<Channel> {
    const key = keyOf(slot);
    const fingerprint = fingerprintOf(start.spec, start.shared);
    const known = this.#entries.get(key);
    if (known !== undefined && !known.isEnding && known.fingerprint === fingerprint) {
      known.usedAt = this.#parts.clock.monotonic();
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.channel;
    }
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) this.#backoff.forget(key);
      await this.#end(key, known);
      return this.open(slot, start, signal);
    }
    await this.#turn(key, slot, signal);
    // Others may have been started while it waited.
    if (this.#entries.has(key) || this.#tooMany(slot) !== undefined) return this.open(slot, start, signal);
    return this.#started(key, slot, start, fingerprint).channel;
  }

  /** Ends what must not go on, without waiting for the next look. */
  look(): Promise<void> {
    return this.#sweep();
  }

  /** Ends the processes that `matches` selects. Resolves when none is left. */
  async endWhere(matches: (slot: Slot) => boolean): Promise<void> {
    const chosen = [...this.#entries].filter(([, { slot }]) => matches(slot));
    await Promise.all(chosen.map(([key, entry]) => this.#end(key, entry)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#look?.cancel();
    await this.endWhere(() => true);
    await this.#parts.programs.close();
  }

  /** Waits until the program may start. Throws `EgressError` if that takes too long, or if there are too many. */
  async #turn(key: string, slot: Slot, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isClosed) throw refused("The server is stopping.");
    const wait = this.#backoff.left(key);
    if (wait > MOST_WAIT_MS)
      throw refused(`The program keeps ending. It is started again in ${Math.ceil(wait / 1000)} s.`);
    if (wait > 0) await this.#parts.clock.sleep(wait, signal);
    if (signal?.aborted === true)
      throw new EgressError("aborted", "The request was aborted.", { maybeSent: false });
    for (let many = this.#tooMany(slot); many !== undefined; many = this.#tooMany(slot))
      await this.#room(many);
  }

  /** The processes that one more would be too many for, those that were not used for the longest time first. */
  #tooMany(slot: Slot): [string, Entry][] | undefined {
    const all = [...this.#entries];
    const ofWorker = all.filter(([, { slot: other }]) => isOfWorker(other, slot));
    if (ofWorker.length >= Math.max(1, Math.floor(this.#parts.most / 2))) return ofWorker;
    return all.length >= this.#parts.most ? all : undefined;
  }

  /** Ends the one that was not used for the longest time. */
  async #room(entries: readonly [string, Entry][]): Promise<void> {
    const idle = entries.find(([, { running, isEnding }]) => running?.size === 0 && !isEnding);
    if (idle === undefined)
      throw refused(
        `${entries.length} processes of programs are at work, which is the most (stdio.max_processes). Try again.`,
      );
    await this.#end(...idle);
  }

  #started(key: string, slot: Slot, start: Start, fingerprint: string): Entry {
    const now = this.#parts.clock.monotonic();
    const entry: Entry = {
      slot,
      start,
      fingerprint,
      generation: "",
      startedAt: now,
      usedAt: now,
      errors: new ErrorLog(this.#parts, { project_id: slot.projectId, worker_id: slot.workerId }),
      isEnding: false,
      channel: this.#start(start),
    };
    this.#entries.set(key, entry);
    entry.channel.then(
      (channel) => {
        entry.running = channel;
        void channel.program.ended.then(() => this.#ended(key, entry));
        if (entry.isEnding) void channel.program.end();
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
        this.#backoff.failed(key, entry.startedAt);
      },
    );
    this.#watch();
    return entry;
  }

  async #start({ spec, shared, prepare, changed }: Start): Promise<Channel> {
    const program = await this.#run(spec, prepare);
    return new Channel(program, { shared, changed });
  }

  async #run(spec: ProcessSpec, prepare: () => Promise<void>): Promise<RunningProgram> {
    try {
      await prepare();
      return await this.#parts.programs.start(spec);
    } catch (error) {
      if (error instanceof EgressError) throw error;
      const reason = error instanceof Error ? error.message : "for an unknown reason";
      throw new EgressError("unreachable", `The program could not be started: ${reason}`, {
        maybeSent: false,
        cause: error,
      });
    }
  }

  #ended(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    const { isEnding, running, slot, errors } = entry;
    if (running !== undefined) errors.take(running.program.lastErrors());
    if (isEnding || running?.end === undefined) return;
    this.#backoff.failed(key, entry.startedAt);
    this.#parts.log.warn("a program has ended by itself", {
      project_id: slot.projectId,
      worker_id: slot.workerId,
      how: howEnded(running.end),
    });
  }

  async #end(key: string, entry: Entry): Promise<void> {
    entry.isEnding = true;
    const channel = await entry.channel.catch(() => undefined);
    await channel?.program.end();
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #watch(): void {
    if (this.#isClosed) return;
    this.#look ??= setAlarm(LOOK_MS, () => {
      this.#look = undefined;
      void this.#sweep()
        .catch((error: unknown) => this.#parts.log.error("programs could not be looked after", { error }))
        .finally(() => {
          if (this.#entries.size > 0) this.#watch();
        });
    });
  }

  /** Ends what is idle, and what belongs to nothing any more. */
  async #sweep(): Promise<void> {
    const now = this.#parts.clock.monotonic();
    const generation = await this.#parts.generation();
    const over = [...this.#entries].map(async ([key, entry]) => {
      if (entry.running === undefined || entry.isEnding) return;
      entry.errors.take(entry.running.program.lastErrors());
      if (entry.running.size > 0) entry.usedAt = now;
      const isUsed = entry.running.size > 0 || isFresh(entry.usedAt, IDLE_MS, now);
      if (isUsed && (await this.#isCurrent(entry, generation))) return;
      await this.#end(key, entry);
    });
    await Promise.all(over);
  }

  async #isCurrent(entry: Entry, generation: string): Promise<boolean> {
    const { spec, shared, current } = entry.start;
    if (!(await exists(spec.home))) return false;
    if (entry.generation === generation) return true;
    const now = await current();
    if (now === undefined || fingerprintOf(now, shared) !== entry.fingerprint) return false;
    entry.generation = generation;
    return true;
  }
}

function keyOf({ projectId, workerId, incarnation, userId, once = "" }: Slot): string {
  return netstrings([projectId, workerId, incarnation, userId, once]);
}

function isOfWorker(one: Slot, { projectId, workerId }: Slot): boolean {
  return one.projectId === projectId && one.workerId === workerId;
}

/** Of everything that a process is started with. Another value, such as a user's new key, is another process. */
function fingerprintOf(spec: ProcessSpec, shared: boolean): string {
  const { command, arguments: given, environment, home, sandbox, read, write } = spec;
  const values = Object.entries(environment).flatMap(([name, value]) => [name, reveal(value)]);
  const parts = [
    command,
    netstrings(given.map(reveal)),
    netstrings(values),
    home,
    sandbox,
    netstrings(read),
    netstrings(write),
  ];
  return hashOf(netstrings([...parts, String(shared)]));
}

function refused(message: string): EgressError {
  return new EgressError("unreachable", message, { maybeSent: false });
}
