// The client's file after an import: without the servers that are workers now, with one entry of a gateway. Everything else
// stays, comments included.
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import type { JsonObject } from "../../src/base";
import { withJsonEdits } from "../json-file";
import { withoutTables, withTable } from "../toml-file";
import { NotChanged } from "../user-text";
import { TOML_PARENT } from "../../src/gateways/client-formats";
import type { ClientFile } from "./client-file";

export interface Rewriting {
  file: ClientFile;
  /** The servers that leave the file. */
  gone: readonly (readonly string[])[];
  /** The gateway's entry: its name, and its record or the lines of its table. */
  name: string;
  entry: { record: JsonObject; inputs: readonly JsonObject[] } | { lines: readonly string[] };
}

/** Throws `NotChanged` for a text that cannot be changed safely. */
export function rewritten(text: string, { file, gone, name, entry }: Rewriting): string {
  if ("lines" in entry) {
    const names = gone.map((path) => path.at(-1) ?? "");
    return withTable(withoutTables(text, TOML_PARENT, names), TOML_PARENT, name, entry.lines);
  }
  const [first = file.servers[0]?.path ?? []] = gone;
  const place = first.slice(0, -1);
  const inputs = [...place.slice(0, -1), "inputs"];
  const fresh = entry.inputs.filter((input) => !file.inputs.has(String(input["id"])));
  return withJsonEdits(text, [
    { path: [...place, name], value: entry.record },
    ...gone
      .filter((path) => !Bun.deepEquals([...path], [...place, name]))
      .map((path) => ({ path, value: undefined })),
    ...fresh.map((value) => ({ path: inputs, value, appended: true as const })),
  ]);
}

/** Copies the text, which still contains the secrets, to a new file that only its owner can read. Returns its path. */
export function backUp(path: string, text: string): string {
  for (let next = 1; ; next++) {
    const copy = `${path}.before-import${next === 1 ? "" : `-${next}`}`;
    if (existsSync(copy)) continue;
    const file = openSync(copy, "wx", 0o600);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
    return copy;
  }
}

/** The lines of a text in which a value occurs. */
export function linesWith(text: string, values: readonly string[]): number[] {
  const long = values.filter((value) => value.length >= 6);
  return text.split("\n").flatMap((line, at) => (long.some((value) => line.includes(value)) ? [at + 1] : []));
}

export { NotChanged };
