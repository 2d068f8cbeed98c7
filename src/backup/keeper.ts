// The backups that a server makes by itself, and how many of them it keeps.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Core } from "../core";
import { DeletionTime } from "../store";
import { ownBackups, ownName } from "./own";

const HOUR_MS = 3600_000;
/** How often the age of the newest backup is looked at. */
const LOOK_MS = 60_000;
/** After failures the wait doubles, up to this: a full disk does not fill the log, nor the machine with work. */
const LONGEST_WAIT_MS = HOUR_MS;

/** Makes a backup, in a process of its own: it would block this one. Resolves to false if the file exists. */
export type MakeBackup = (file: string, signal: AbortSignal) => Promise<boolean>;

export class BackupKeeper {
  readonly #core: Core;
  readonly #folder: string | undefined;
  readonly #make: MakeBackup;
  readonly #deletionTime: DeletionTime;
  /** Monotonic time of the last look at the time by which backups are deleted. */
  #looked = -Infinity;

  /** `folder`: the path of `backup.folder`. */
  constructor(core: Core, folder: string | undefined, make: MakeBackup) {
    this.#core = core;
    this.#folder = folder;
    this.#make = make;
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** Works until the returned function is called. */
  start(): () => Promise<void> {
    const stop = new AbortController();
    const running = this.#run(stop.signal);
    return async () => {
      stop.abort();
      await running;
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, settings, log } = this.#core;
    if (settings["backup.hours"] === 0) return;
    if (settings["database.url"] !== undefined) {
      log.error("no backups are made: backup.hours is set, but servers do not back up PostgreSQL", {
        advice: "back it up with pg_dump or continuous archiving, and set backup.hours to 0",
      });
      return;
    }
    if (this.#folder === undefined) {
      log.error("no backups are made: backup.hours is set, but backup.folder is not");
      return;
    }
    let wait = LOOK_MS;
    while (!signal.aborted) {
      try {
        await this.#once(this.#folder, signal);
        wait = LOOK_MS;
      } catch (error) {
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        log.error("backup failed", { error, next_try_seconds: wait / 1000 });
      }
      await clock.sleep(wait, signal);
    }
  }

  async #once(folder: string, signal: AbortSignal): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const made = await this.#makeIfDue(folder, signal);
    if (made !== undefined) await this.#deleteOld(folder, made);
    // Also between backups: a time is not believed if nothing has looked at it for a week.
    else if (this.#core.clock.monotonic() - this.#looked >= HOUR_MS) await this.#believedTime();
  }

  /** The name of the backup; undefined if there is a young one, or another server has just made it. */
  async #makeIfDue(folder: string, signal: AbortSignal): Promise<string | undefined> {
    const { clock, settings, log } = this.#core;
    const now = clock.now();
    const [newest] = ownBackups(folder, now).made;
    if (newest !== undefined && now - newest.at < settings["backup.hours"] * HOUR_MS) return undefined;
    const name = ownName(now, settings["backup.recipients"].length > 0);
    const file = join(folder, name);
    if (!(await this.#make(file, signal))) return undefined;
    log.info("backup made", { file, bytes: statSync(file).size });
    return name;
  }

  async #deleteOld(folder: string, justMade: string): Promise<void> {
    const believed = await this.#believedTime();
    if (believed === undefined) return;
    for (const { name } of ownBackups(folder, believed).made.slice(this.#core.settings["backup.keep"]))
      if (name !== justMade) rmSync(join(folder, name), { force: true });
  }

  async #believedTime(): Promise<number | undefined> {
    const { store, clock } = this.#core;
    const time = await store.write(() => this.#deletionTime.now());
    this.#looked = clock.monotonic();
    return time;
  }
}
