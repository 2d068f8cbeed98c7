// The names of all tests, from the test runner. Nothing runs: the name pattern matches no test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const FILES = new Bun.Glob("test/**/*.{test,long}.ts");

/** The full name of each test: the names of its groups, then its own. */
export async function listTests(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "runtime-test-"));
  try {
    const cases = (await report(join(folder, "tests.xml"))).matchAll(
      /<testcase name="([^"]*)" classname="([^"]*)"/g,
    );
    return [...cases].map(([, name, groups]) => `${groups} ${name}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the runner reports in JUnit's format. */
async function report(path: string): Promise<string> {
  const files = [...FILES.scanSync({ cwd: ROOT })].filter((file) => !file.includes("node_modules/"));
  const options = ["--no-isolate", "--test-name-pattern=^never$", "--reporter=junit"];
  const child = Bun.spawn(
    [process.execPath, "test", ...options, `--reporter-outfile=${path}`, ...files.map((file) => `./${file}`)],
    { cwd: ROOT, stdout: "ignore", stderr: "pipe" },
  );
  const errors = await child.stderr.text();
  await child.exited;
  if (!(await Bun.file(path).exists())) throw new Error(errors);
  return Bun.file(path).text();
}
