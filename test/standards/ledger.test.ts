// Runs every row of the ledger, and checks that docs/standards.md is made from it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chapters } from "./chapters";
import { document, PAGE } from "./document";
import { type OpenWorld, openWorld } from "./world";

let world: OpenWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

for (const { id, rows } of chapters) {
  describe(id, () => {
    for (const { section, level, says, proof } of rows)
      test(`${section} ${level}: ${says}`, async () => {
        await proof(world);
      });
  });
}

describe("the ledger", () => {
  test("has at least 400 rows, and at most 25 that differ on purpose", () => {
    const rows = chapters.flatMap((chapter) => chapter.rows);
    expect(rows.length).toBeGreaterThanOrEqual(400);
    expect(rows.filter(({ differs }) => differs !== undefined).length).toBeLessThanOrEqual(25);
  });

  test("has no statement twice", () => {
    const names = chapters.flatMap(({ id, rows }) =>
      rows.map(({ section, says }) => `${id} ${section} ${says}`),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("is what docs/standards.md shows (bun test/standards/document.ts)", () => {
    expect(readFileSync(PAGE, "utf8")).toBe(document(chapters));
  });
});
