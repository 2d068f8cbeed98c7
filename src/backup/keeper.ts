// The backups that a server makes by itself, and how many of them it keeps.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Core } from "../core";

const HOUR_MS = 3600_000;
/** How often the age of the newest backup is looked at. */
const LOOK_MS = 60_000;
/** After failures the wait doubles, up to this: a full disk does not fill the log, nor the machine with work. */
const LONGEST_WAIT_MS = HOUR_MS;
const NAME = /^runtime-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup(?:\.age)?$/;

/** Makes a backup, in a process of its own: it would block this one. Resolves to false if the file exists. */
export type MakeBackup = (file: string, signal: AbortSignal) => Promise<boolean>;

export class BackupKeeper {
  readonly #core: Core;
  readonly #folder: string | undefined;
  readonly #make: MakeBackup;

  /** `folder`: the path of `backup.folder`. */
  constructor(core: Core, folder: string | undefined, make: MakeBackup) {
    this.#core = core;
    this.#folder = folder;
    this.#make = make;
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
    const { clock, settings, log } = this.#core;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const now = clock.now();
    const newest = ownBackups(folder)[0];
    const age = newest === undefined ? Infinity : now - newest.at;
    // A newest backup of the future, after the clock was wrong, must not stop the others.
    if (age >= 0 && age < settings["backup.hours"] * HOUR_MS) return;
    const file = join(folder, nameOf(now, settings["backup.recipients"].length > 0));
    if (!(await this.#make(file, signal))) return;
    log.info("backup made", { file, bytes: statSync(file).size });
    for (const { name } of ownBackups(folder).slice(settings["backup.keep"]))
      rmSync(join(folder, name), { force: true });
  }
}

/** Servers that look at the same time choose the same name, and only one of them makes the file. */
function nameOf(now: number, isEncrypted: boolean): string {
  const minute = new Date(Math.floor(now / LOOK_MS) * LOOK_MS).toISOString();
  return `runtime-${minute.slice(0, 19).replaceAll(/[-:]/g, "")}Z.backup${isEncrypted ? ".age" : ""}`;
}

/** The backups that servers have made by themselves, newest first. */
export function ownBackups(folder: string): { name: string; at: number }[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [match, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      if (match === undefined) return [];
      return [{ name, at: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) }];
    })
    .toSorted((one, other) => other.at - one.at);
}
