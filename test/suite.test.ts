// The rules for tests, checked on the tests and on examples that break each of them.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MAY_MEASURE, timeViolations, unawaitedAssertions } from "./support/suite";
import { temporaryFolder } from "./support/temporary";

const ROOT = join(import.meta.dir, "..");
const files = [...new Bun.Glob("**/*.ts").scanSync({ cwd: import.meta.dir })]
  .filter((path) => !path.includes("node_modules/") && !/^(?:bench|sandbox)\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dir, path), "utf8") }));

describe("every test reaches an assertion:", () => {
  const PASSES = [
    `test("passes", () => expect(1).toBe(1));`,
    `test("passes later", async () => { await Bun.sleep(1); expect(1).toBe(1); });`,
    `test.each([1, 2])("passes in row %d", (row) => expect(row).toBeNumber());`,
  ];
  const FAILS = [
    `test("fails without one", () => {});`,
    `test("fails without one after a wait", async () => { await Bun.sleep(1); });`,
    `test.each([1, 2])("row %d", (row) => { if (row === 2) return; expect(row).toBe(1); });`,
    `test("fails if a condition skips it", () => { for (const one of []) expect(one).toBe(1); });`,
  ];

  test.each([...PASSES.map((text) => [text, 0] as const), ...FAILS.map((text) => [text, 1] as const)])(
    "%s",
    async (text, code) => {
      const folder = temporaryFolder();
      await Bun.write(join(folder, "one.test.ts"), `import { expect, test } from "bun:test";\n${text}\n`);
      const preload = join(ROOT, "test/support/assertions.ts");
      const child = Bun.spawn([process.execPath, "test", "--preload", preload, "./one.test.ts"], {
        cwd: folder,
        stdout: "pipe",
        stderr: "pipe",
      });
      const output = await child.stderr.text();

      expect(await child.exited).toBe(code);
      expect(output.includes("expected at least one assertion")).toBe(code === 1);
    },
  );

  test("the rule is loaded for all tests", () => {
    expect(readFileSync(join(ROOT, "bunfig.toml"), "utf8")).toContain(
      'preload = ["./test/support/assertions.ts"',
    );
  });
});

describe("tests do not assert milliseconds:", () => {
  test("none does without a reason", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(timeViolations(files)).toEqual([]);
  });

  test("every exception measures time", () => {
    const measuring = files.filter(({ text }) => /performance\.now\(\)/.test(text)).map(({ path }) => path);
    expect(measuring).toEqual(expect.arrayContaining(Object.keys(MAY_MEASURE)));
  });

  const bound = (difference: string): string => `expect(${difference}).toBeLessThan(500);`;
  test.each([
    ["a difference", bound("performance.now() - started")],
    ["a difference of dates", bound("Date.now() - started")],
    ["a difference the other way", `const left = end - Date.now();\n${bound("left")}`],
    ["a variable", `const ms = performance.now() - started;\nexpect(ms).toBeLessThanOrEqual(500);`],
    ["a lower bound", `expect(performance.now() - started).toBeGreaterThan(500);`],
    ["a range", `expect(performance.now() - started).toBeWithin(0, 500);`],
    ["a helper for others", `export const since = (start: number) => performance.now() - start;`],
  ])("%s is refused", (_name, text) => {
    expect(timeViolations([{ path: "area/one.test.ts", text }])).toHaveLength(1);
    expect(timeViolations([{ path: "support/growth.ts", text }])).toEqual([]);
  });

  test.each([
    ["a moved clock", `expect(clock.now() - started).toBeLessThan(500);`],
    ["a time in the past", `const at = new Date(Date.now() - 1000);\nexpect(at).toBeValidDate();`],
    ["a limit of something else", bound("text.length")],
    ["a wait", `while (performance.now() < until) await Bun.sleep(5);`],
  ])("%s is not", (_name, text) => {
    expect(timeViolations([{ path: "area/one.test.ts", text }])).toEqual([]);
  });
});

describe("assertions on promises are awaited:", () => {
  test("all of them", () => {
    expect(unawaitedAssertions(files.filter(({ path }) => path !== "suite.test.ts"))).toEqual([]);
  });

  test.each([
    ["a refusal", "  expect(work()).rejects.toThrow();", 1],
    ["a value", "expect(work()).resolves.toBe(1);", 1],
    ["on several lines", "expect(\n  work(),\n).rejects.toThrow();", 1],
    ["an awaited refusal", "  await expect(work()).rejects.toThrow();", 0],
    ["a returned value", "return expect(work()).resolves.toBe(1);", 0],
    ["a plain value", "expect(value).toBe(1);\nawait expect(work()).rejects.toThrow();", 0],
  ])("%s", (_what, text, count) => {
    expect(unawaitedAssertions([{ path: "area/one.test.ts", text }])).toHaveLength(count);
  });
});
