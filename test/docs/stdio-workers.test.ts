// docs/stdio-workers.md, followed from the package to two users: the commands as printed, with a package of the registry.
import { afterAll, beforeAll, expect } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cageSupport } from "../../src/processes";
import { testWith } from "../support/require";

const ROOT = join(import.meta.dir, "../..");
const PAGE = readFileSync(join(ROOT, "docs/stdio-workers.md"), "utf8");
const [FIRST = "", SECOND = ""] = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, text = ""]) => text);
const SECONDS = 180;

const hasRegistry =
  Bun.which("npm") !== null && Bun.spawnSync(["npm", "ping"], { timeout: 10_000 }).exitCode === 0;
const test = testWith(
  "npx, the npm registry, and a kernel with a cage",
  hasRegistry && cageSupport().supported,
);

const home = mkdtempSync(join(tmpdir(), "runtime-programs-page-"));
const environment = { HOME: home, PATH: `${home}/bin:${process.env["PATH"] ?? ""}` };
beforeAll(() => {
  mkdirSync(join(home, "bin"));
  const command = join(home, "bin/runtime");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/cli/main.ts' "$@"\n`);
  chmodSync(command, 0o755);
});
// Thousands of files of packages.
afterAll(() => rmSync(home, { recursive: true, force: true }), SECONDS * 1000);

/** Each line as a person types it: what it prints, and its notes. */
async function typed(lines: string): Promise<{ code: number; stdout: string; stderr: string }[]> {
  const results: { code: number; stdout: string; stderr: string }[] = [];
  for (const line of lines.trim().split("\n")) {
    const child = Bun.spawn(["bash", "-c", line], {
      env: environment,
      cwd: home,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    results.push({ code: await child.exited, stdout, stderr });
  }
  return results;
}

test(
  "the page leads from a package to two users who read nothing of each other",
  async () => {
    const [created, stored, alice, bob, shown] = await typed(FIRST);

    expect(
      [created, stored, alice, bob, shown].map((line) => [line?.code, line?.stderr.includes("error")]),
    ).toEqual(Array.from({ length: 5 }, () => [0, false]));
    expect(alice?.stdout).toContain("tea");
    expect(JSON.parse(bob?.stdout ?? "")).toEqual({ entities: [], relations: [] });
    expect(shown?.stderr).toContain("Each user has a process and a folder of their own.");
  },
  SECONDS * 1000,
);

test(
  "the page keeps the file of each user in the user's folder",
  async () => {
    const [updated] = await typed(SECOND);
    const store = (user: string): string =>
      `runtime tools exec Memory.create_entities --user ${user} --input '{"entities":[{"name":"of-${user}","entityType":"x","observations":[]}]}'`;
    const read = (user: string): string => `runtime tools exec Memory.read_graph --user ${user} --input '{}'`;
    const results = await typed([store("alice"), store("bob"), read("alice"), read("bob")].join("\n"));

    expect([updated?.code, updated?.stderr.includes("error")]).toEqual([0, false]);
    expect(
      results.slice(2).map(({ stdout }) => [stdout.includes("of-alice"), stdout.includes("of-bob")]),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
  },
  SECONDS * 1000,
);
