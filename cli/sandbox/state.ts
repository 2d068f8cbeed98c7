// What the sandbox remembers between starts. The file also marks its folder as that of a sandbox.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SavedSandbox } from "../../catalogs/sandbox";
import { isObject } from "../../src/base";
import { configurationError } from "../../src/errors";
import { replaceFile } from "../replace-file";

export interface State {
  /** The form of this file. */
  sandbox: number;
  port?: number;
  /** Only of this sandbox, which only this machine reaches. Absent until the first start has finished. */
  keys?: { admin: string; run: string };
  platforms?: SavedSandbox;
}

export const STATE_FILE = "sandbox.json";
const FORM = 1;

export const newState = (): State => ({ sandbox: FORM });

/** Undefined if there is none. Throws `configuration` for one of another version. */
export function readState(folder: string): State | undefined {
  const file = join(folder, STATE_FILE);
  if (!existsSync(file)) return undefined;
  const state = parsed(readFileSync(file, "utf8"));
  if (state !== undefined && state.sandbox === FORM) return state;
  throw configurationError(
    `${file} was not written by this version. To start without the data of earlier starts, add --reset.`,
  );
}

export function writeState(folder: string, state: State): void {
  replaceFile(join(folder, STATE_FILE), `${JSON.stringify(state)}\n`, 0o600);
}

function parsed(text: string): State | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Written by this program.
    return isObject(value) && typeof value["sandbox"] === "number" ? (value as unknown as State) : undefined;
  } catch {
    return undefined;
  }
}
