// The executable, driven by scripts: every command, every exit code, every reported fault of command lines.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../cli/errors";
import { nouns } from "../../cli/nouns";
import { testWith } from "../support/require";
import { describeExamples } from "./examples";
import { describeOutputs } from "./outputs";
import { fits, type Mode, parseScript, type Script, scripts } from "./script";
import { type Stage, startRun, startStage } from "./stage";

const ROOT = join(import.meta.dir, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "runtime-acceptance-build-"));
// The path of an existing executable.
const given = process.env["RUNTIME_TEST_EXECUTABLE"];
const executable = given ?? join(folder, "runtime");
let stage: Stage;

beforeAll(async () => {
  if (given === undefined) {
    const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", executable], { cwd: ROOT });
    if (!build.success) throw new Error(build.stderr.toString());
  }
  stage = await startStage(executable);
}, 120_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const runs = scripts.flatMap((script) =>
  script.modes.map((mode): [string, Mode, Script] => [script.name, mode, script]),
);

describe("scripts", () => {
  const missing = ["bash", "curl", "jq", "iconv"].filter((part) => Bun.which(part) === null);
  testWith(missing.join(", "), missing.length === 0).each(runs)(
    "%s, %s",
    async (_name, mode, script) => {
      await using run = await startRun(stage, mode);
      const wrong: string[] = [];
      for (const step of script.steps) {
        const ran = await run.run(step);
        const right =
          ran.code === step.code &&
          fits(step.stdout, ran.stdout) &&
          step.stderr.every((text) => ran.stderr.includes(text));
        if (!right)
          wrong.push(
            `${script.name}.txt:${step.line} $ ${step.command}\n${ran.stdout}! ${ran.stderr}? ${ran.code}\n`,
          );
      }
      expect(wrong.join("\n")).toBe("");
    },
    120_000,
  );
});

describe("help", () => describeExamples(() => executable));

describe("output", () => describeOutputs(() => executable));

describe("the scripts contain", () => {
  const commands = scripts.flatMap(({ steps }) => steps.map(({ command }) => command));

  test.each(nouns.map((noun) => [noun.name, noun] as const))("every verb of %s", async (name, noun) => {
    const { verbs } = await noun.load();
    const words = verbs.map(({ usage }) => usage.split(" ", 1)[0] ?? "");
    const single = words.length === 1 && words[0] === name;
    const lines = single ? [`runtime ${name}`] : words.map((word) => `runtime ${name} ${word}`);

    const missing = lines.filter((line) => !commands.some((command) => `${command} `.includes(`${line} `)));

    expect(missing).toEqual([]);
  });

  test.each(Object.entries(EXIT))("the exit code of %s", (_name, code) => {
    const codes = scripts.flatMap(({ steps }) => steps.map((step) => step.code));

    expect(codes).toContain(code);
  });

  // Faults that users of other command lines reported.
  test.each([
    "early-closing-reader",
    "cut-output",
    "notices-on-stdout",
    "silent-prompt",
    "failure-exits-0",
    "cut-values",
    "byte-order-marks",
    "no-home-folder",
  ])("commands that prevent the fault %s", (tag) => {
    expect(scripts.flatMap(({ faults }) => faults)).toContain(tag);
  });
});

describe("a script", () => {
  test("is parsed into commands, output, errors and exit codes", () => {
    const { steps, modes, faults } = parseScript(
      "x",
      "# only: direct\n# fault: one of users\n$ one\na\n~\nb\n! told\n? 3\n\n$ two\n",
    );

    expect(modes).toEqual(["direct"]);
    expect(faults).toEqual(["one"]);
    expect(steps).toEqual([
      { line: 3, command: "one", stdout: ["a", "", "b"], stderr: ["told"], code: 3 },
      { line: 10, command: "two", stdout: [], stderr: [], code: 0 },
    ]);
  });

  test.each<[string[], string, boolean]>([
    [[], "", true],
    [[], "a\n", false],
    [["a"], "a\n", true],
    [["a"], "b\n", false],
    [["a.c"], "abc\n", false],
    [["id  [..]", "x"], "id  key_1\nx\n", true],
    [["...", "z"], "a\nb\nz\n", true],
    [["a", "..."], "a\n", true],
    [["a", "..."], "b\n", false],
  ])("%j fits %j: %j", (expected, text, fit) => {
    expect(fits(expected, text)).toBe(fit);
  });
});
