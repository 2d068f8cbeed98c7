// The commands and requests of every page run as printed. `test/docs/blocks.test.ts` checks that none is left out.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocksOf, PAGES } from "../../support/blocks";
import { PYTHON } from "../../interop/workers/http-worker";
import { hasPostgres } from "../../support/postgres/programs";
import { testWith } from "../../support/require";
import { NOT_RUN } from "./not-run";
import { type Page, SPECIAL } from "./pages";
import { runPage } from "./run-page";
import { stepsOf } from "./script";
import { describeSkill } from "./skill";

const ROOT = join(import.meta.dir, "../../..");
const folder = mkdtempSync(join(tmpdir(), "runtime-pages-build-"));
// The path of an existing executable.
const given = process.env["RUNTIME_TEST_EXECUTABLE"];
const executable = given ?? join(folder, "runtime");

beforeAll(() => {
  if (given !== undefined) return;
  const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", executable], { cwd: ROOT });
  if (!build.success) throw new Error(build.stderr.toString());
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs and modules of Python that a page needs and that are not here. */
function missingFor({ programs = [], python = [], stage }: Page): string[] {
  const imports = python.length === 0 || Bun.spawnSync([PYTHON, "-c", `import ${python.join(", ")}`]).success;
  return [
    ...programs.filter((program) => Bun.which(program) === null),
    ...(stage !== "postgres" || hasPostgres ? [] : ["postgresql"]),
    ...(imports ? [] : python),
  ];
}

describe("the commands of", () => {
  for (const name of PAGES) {
    const page = SPECIAL[name] ?? {};
    const blocks = blocksOf(name).filter(
      ({ text }) => !NOT_RUN.some((left) => left.page === name && text.startsWith(left.block)),
    );
    if (page.by !== undefined || blocks.flatMap(stepsOf).length === 0) continue;
    const missing = missingFor(page);
    testWith(missing.join(", "), missing.length === 0)(
      name,
      async () => {
        expect((await runPage(blocks, page, executable)).join("\n\n")).toBe("");
      },
      150_000,
    );
  }
});

describe("SKILL.md", () => describeSkill(() => executable));
