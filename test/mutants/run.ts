// Takes one guard out at a time and expects a named test to fail. Every `*.patch` in this folder begins with a header:
//
//   What the patch takes out, in a sentence.
//   test: test/connections/refresh.test.ts
//   name: keeps a pair that could not be stored        (optional: a part of the test's full name)
//
// A patch that does not apply, a test that fails without it, and a test that passes with it are errors.
//
//   bun test/mutants/run.ts                 all patches
//   bun test/mutants/run.ts --tenth         a tenth of them, another one each day
//   bun test/mutants/run.ts refresh         patches whose file name contains "refresh"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

interface Mutant {
  name: string;
  patch: string;
  test: string;
  /** Part of the full name of the test that must fail; absent: any test of the file. */
  title: string | undefined;
}

interface Outcome {
  passed: boolean;
  /** Number of tests that ran. */
  tests: number;
  /** The test file needs a right that is missing here. */
  skipped: boolean;
  output: string;
}

const FOLDER = import.meta.dir;
const ROOT = resolve(FOLDER, "../..");
const DAY_MS = 24 * 3_600_000;
const TEST_TIMEOUT_MS = 120_000;

/** Reads a patch and its header. Throws for a header without a test. */
export function parseMutant(name: string, patch: string): Mutant {
  const header = patch.slice(0, Math.max(0, patch.indexOf("diff --git")));
  const test = /^test: (\S+)$/m.exec(header)?.[1];
  if (test === undefined) throw new Error(`${name}: the header before "diff --git" has no line "test: FILE"`);
  return { name, patch, test, title: /^name: (.+)$/m.exec(header)?.[1] };
}

function mutants(args: readonly string[]): Mutant[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".patch"));
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const day = Math.floor(Date.now() / DAY_MS);
  return names
    .toSorted()
    .filter((_, index) => !args.includes("--tenth") || (index + day) % 10 === 0)
    .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    .map((name) => parseMutant(name, readFileSync(join(FOLDER, name), "utf8")));
}

/** A copy of the sources and tests, without packages and build results. */
export function scratchCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "runtime-mutants-"));
  const left = /(^|\/)(node_modules|\.git|dist|junit\.xml)(\/|$)/;
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !left.test(path.slice(ROOT.length + 1)) });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

export async function applyPatch(
  copy: string,
  { patch }: Pick<Mutant, "patch">,
  ...options: string[]
): Promise<boolean> {
  const git = Bun.spawn(["git", "apply", "--recount", ...options], {
    cwd: copy,
    stdin: new Blob([patch]),
    stderr: "inherit",
    // The copy is not a repository of its own, and must not be taken for a part of one that lies around it.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) },
  });
  return (await git.exited) === 0;
}

async function runTest(copy: string, { test, title }: Mutant): Promise<Outcome> {
  const junit = join(copy, "mutant.xml");
  const filter = title === undefined ? [] : ["-t", title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)];
  const child = Bun.spawn(
    [process.execPath, "test", `./${test}`, ...filter, "--reporter=junit", `--reporter-outfile=${junit}`],
    { cwd: copy, stdout: "pipe", stderr: "pipe", timeout: TEST_TIMEOUT_MS, killSignal: "SIGKILL" },
  );
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const status = await child.exited;
  const head =
    /<testsuites [^>]*>/.exec(
      await Bun.file(junit)
        .text()
        .catch(() => ""),
    )?.[0] ?? "";
  const count = (name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  await Bun.file(junit)
    .delete()
    .catch(() => undefined);
  return {
    passed: status === 0,
    tests: count("tests") - count("skipped"),
    skipped: /^skipped: /m.test(stderr),
    output: `${stdout}${stderr}`.slice(-3000),
  };
}

/** What is wrong with a mutant; undefined when its test catches it. */
async function problemOf(
  copy: string,
  mutant: Mutant,
  controls: Map<string, Promise<Outcome>>,
): Promise<string | undefined> {
  const key = `${mutant.test}\0${mutant.title}`;
  if (!controls.has(key)) controls.set(key, runTest(copy, mutant));
  const control = await controls.get(key);
  if (control?.passed !== true) return `its test fails without the patch:\n${control?.output}`;
  if (control.tests === 0) return control.skipped ? undefined : "no test has this name";
  if (!(await applyPatch(copy, mutant))) return "the patch does not apply";
  const outcome = await runTest(copy, mutant);
  if (!(await applyPatch(copy, mutant, "--reverse"))) throw new Error(`${mutant.name} cannot be reverted`);
  if (outcome.passed) return "no test fails with the patch";
  // A module that cannot be loaded fails every test, which proves nothing.
  return outcome.tests < control.tests ? `not all tests were loaded:\n${outcome.output}` : undefined;
}

async function main(args: readonly string[]): Promise<number> {
  const queue = mutants(args);
  const { length } = queue;
  const problems: string[] = [];
  const worker = async (): Promise<void> => {
    const copy = scratchCopy();
    const controls = new Map<string, Promise<Outcome>>();
    try {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const problem = await problemOf(copy, mutant, controls);
        console.log(`${problem === undefined ? "caught" : "MISSED"} ${mutant.name}`);
        if (problem !== undefined) problems.push(`${mutant.name}: ${problem}`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 2) }, worker));
  for (const problem of problems) console.error(`\n${problem}`);
  console.log(`\n${length} mutants, ${length - problems.length} caught`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)));
