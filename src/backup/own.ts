// The backups that servers have made by themselves, by the times in their names.
import { readdirSync } from "node:fs";

/** Clocks of processes that agree may differ by as much. */
const MARGIN_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const NAME = /^runtime-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup(?:\.age)?$/;

export interface OwnBackup {
  name: string;
  /** When it was made, ms. */
  at: number;
}

export interface OwnBackups {
  /** Newest first. */
  made: OwnBackup[];
  /**
   * Those that are dated later than `now`, newest first: a clock was wrong when they were made, or is wrong now. They count
   * neither as the newest backup nor as one of those to keep.
   */
  future: OwnBackup[];
}

export function ownBackups(folder: string, now: number): OwnBackups {
  const all = readdirSync(folder)
    .flatMap((name) => {
      const at = timeIn(name);
      return at === undefined ? [] : [{ name, at }];
    })
    .toSorted((one, other) => other.at - one.at);
  return {
    made: all.filter(({ at }) => !isFuture(at, now)),
    future: all.filter(({ at }) => isFuture(at, now)),
  };
}

/** Whether a file with this time was made while the clock was wrong. */
function isFuture(at: number, now: number): boolean {
  return at > now + MARGIN_MS;
}

/** Servers that look at the same time choose the same name, and only one of them makes the file. */
export function ownName(now: number, isEncrypted: boolean): string {
  const minute = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString();
  return `runtime-${minute.slice(0, 19).replaceAll(/[-:]/g, "")}Z.backup${isEncrypted ? ".age" : ""}`;
}

function timeIn(name: string): number | undefined {
  const [match, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (match === undefined) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}
