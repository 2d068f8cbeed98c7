// Somebody who can write the database file changes the audit trail. The verification must find each way, and where.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyChains } from "../../src/audit/verify";
import { mainMigrations, openSqlite } from "../../src/store";
import { type Original, original, type Tampering, tampered, TAMPERINGS } from "../audit/tamperings";
import { printFigure } from "./figure";

const ROWS = 10_000;

describe("tampering with an audit trail", () => {
  let folder: string;
  let from: Original;
  let found = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "runtime-test-"));
    from = await original(folder, ROWS);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    printFigure("audit tampering", `${found} of ${TAMPERINGS.length} kinds found, ${ROWS} rows`);
  });

  async function verified(file: string, withHeads: boolean) {
    const store = openSqlite({ file, migrations: mainMigrations });
    try {
      return await verifyChains(store, from.key, withHeads ? from.heads : []);
    } finally {
      await store.close();
    }
  }

  test("is not reported for the original", async () => {
    for (const withHeads of [false, true]) {
      const { problems, chains } = await verified(from.file, withHeads);
      expect(problems).toEqual([]);
      expect(chains.map(({ chain, rows }) => [chain, rows])).toEqual([
        ["", 10],
        ["default", ROWS],
        ["other", 10],
      ]);
    }
  });

  test.each(TAMPERINGS.map((each) => [each.name, each] as const))(
    "is found and located: %s",
    async (_name, tampering: Tampering) => {
      const file = tampered(from, tampering);
      const without = await verified(file, false);
      const withHeads = await verified(file, true);

      expect(without.problem_count > 0).toBe(tampering.needsHead !== true);
      const places = withHeads.problems
        .filter(({ chain }) => chain === "default")
        .map(({ number }) => number);
      expect(places).toContain(tampering.at(ROWS));
      found++;
    },
  );
});
