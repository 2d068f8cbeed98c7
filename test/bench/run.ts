// `bun run bench [name …]`: measures, and shows the bounds that are met. A missed bound is a finding, not a failure: the
// exit code shows only whether the bench itself worked.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Context, Row } from "./bench";
import { benches } from "./benches";
import { Children } from "./children";
import { HELP, type Options, readOptions } from "./options";
import { table, type Verdict, verdicts } from "./report";
import { chosenServer, EXECUTABLE, ROOT } from "./server-under-test";
import { machine } from "./system";

const children = new Children();
const folder = mkdtempSync(join(tmpdir(), "runtime-bench-"));

// Cleans up, however the bench ends.
process.on("exit", () => {
  children.kill();
  rmSync(folder, { recursive: true, force: true });
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

process.exit(await main());

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options.help) return say(HELP);
    if (options.list) return say(benches.map(({ name, about }) => `${name.padEnd(14)}${about}\n`).join(""));
    return await measure(options, chosen(options.names));
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

function chosen(names: readonly string[]): readonly Bench[] {
  if (names.length === 0) return benches;
  return names.map((name) => {
    const bench = benches.find((known) => known.name === name);
    if (bench === undefined) throw new Error(`there is no bench "${name}"; --list lists them`);
    return bench;
  });
}

async function measure(options: Options, wanted: readonly Bench[]): Promise<number> {
  const about = `${machine(folder)}; server: ${serverText(options)}`;
  note(about);
  const runs: Row[][] = [];
  let broken = 0;
  for (let run = 0; run < options.runs; run++) {
    const rows: Row[] = [];
    for (const bench of wanted) {
      const context = { options, children, folder: mkdtempSync(join(folder, "run-")) };
      const found = await runOne(bench, context);
      if (found === undefined) broken++;
      else rows.push(...found);
    }
    runs.push(rows);
  }
  const report = verdicts(runs);
  say(`${table(report)}\n`);
  if (options.json !== undefined) writeFileSync(options.json, json(about, options, report));
  return broken === 0 ? 0 : 1;
}

/** The rows of a bench; undefined if it failed. */
async function runOne(bench: Bench, context: Context): Promise<Row[] | undefined> {
  const begin = performance.now();
  try {
    const rows = await bench.run(context);
    note(`${bench.name}: ${((performance.now() - begin) / 1000).toFixed(0)} s`);
    return rows;
  } catch (error) {
    note(`${bench.name} broke: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    children.kill();
    rmSync(context.folder, { recursive: true, force: true });
  }
}

function serverText({ server }: Options): string {
  const kind = chosenServer(server);
  if (kind !== "executable") return kind;
  const built = statSync(EXECUTABLE).mtimeMs;
  const sources = ["src", "server", "cli", "catalogs"].flatMap((part) =>
    [...new Bun.Glob(`${part}/**/*.ts`).scanSync({ cwd: ROOT })].map((file) => statSync(join(ROOT, file))),
  );
  const old = sources.some(({ mtimeMs }) => mtimeMs > built);
  return old ? "executable, OLDER than the sources (bun run build)" : "executable";
}

function json(about: string, options: Options, rows: readonly Verdict[]): string {
  return `${JSON.stringify({ at: new Date().toISOString(), about, options, rows }, null, 2)}\n`;
}

function say(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
