// Tables of faults that users of such systems reported, each with the tests that keep it away. A row that loses a test, by
// another name or for good, fails; so does a list that lacks a row.
import { expect, test } from "bun:test";
import { join } from "node:path";

/** File under test/, and the text of the test's name as it stands there. */
export type Proof = readonly [file: string, name: string];
export type FieldCase = readonly [id: string, symptom: string, tests: readonly Proof[]];

const TESTS = join(import.meta.dir, "..");

/** Makes the tests of a table. `ids`: all of its cases, in their order; several rows may share one. */
export function testFieldCases(ids: readonly string[], rows: readonly FieldCase[]): void {
  test("no case is missing", () => {
    expect([...new Set(rows.map(([id]) => id))]).toEqual([...ids]);
  });

  test.each(rows.map((row) => [...row]))("%s (%s) has its tests", async (_id, _symptom, tests) => {
    const missing: string[] = [];
    for (const [file, name] of tests) {
      const text = await Bun.file(join(TESTS, file)).text();
      if (!text.includes(name)) missing.push(`${file}: ${name}`);
    }

    expect(tests.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
}
