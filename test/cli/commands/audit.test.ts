// `runtime audit`: verification with and without kept heads, the export for a SIEM, and the erasure of a user.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../support/api";
import { temporaryFolder } from "../../support/temporary";
import { jsonOf, newTerminal } from "../support/fake-io";

/** A data folder with `count` entries in the trail of the project. */
async function withEntries(count: number) {
  const folder = join(temporaryFolder(), "data");
  mkdirSync(folder);
  const { run } = newTerminal();
  const ran = (...words: string[]) => run([...words, "--data-dir", folder]);
  for (let number = 1; number <= count; number++)
    expect((await ran("keys", "create", `key ${number}`, "--user", "alice")).code).toBe(0);
  const sql = (statement: string): void => {
    using database = new Database(join(folder, "runtime.db"));
    database.run(statement);
  };
  return { folder, ran, sql };
}

describe("audit verify", () => {
  test("prints the signed heads and exits 0 for an intact trail", async () => {
    const { ran } = await withEntries(2);
    const { code, stdout, stderr } = await ran("audit", "verify", "-o", "json");

    expect([code, stderr]).toEqual([0, "The audit trail is intact (2 rows in 1 chain).\n"]);
    expect(JSON.parse(stdout)).toMatchObject({
      heads: [{ chain: "default", number: 2, signature: expect.any(String) }],
      chains: [{ chain: "default", rows: 2 }],
      problems: [],
    });
    expect((await ran("audit", "verify")).stdout).toContain("default");
  });

  test("names the place and exits 1 for a changed row", async () => {
    const { ran, sql } = await withEntries(3);
    sql("UPDATE audit SET target = 'x' WHERE number = 2");
    const { code, stderr } = await ran("audit", "verify");

    expect(code).toBe(1);
    expect(stderr).toMatch(/problem {2}default row 2 \(au_\w+\): the row was changed/);
    expect(stderr).toContain("The audit trail has 1 problem (");
  });

  test("finds rows that were cut off since a head was kept", async () => {
    const { ran, sql, folder } = await withEntries(3);
    const heads = join(folder, "heads.ndjson");
    writeFileSync(heads, (await ran("audit", "heads", "-o", "ndjson")).stdout);
    expect((await ran("audit", "verify", "--head", heads)).code).toBe(0);
    sql("DELETE FROM audit WHERE number = 3");
    sql(
      "UPDATE audit_heads SET (number, hash, newest_id) = (SELECT number, hash, id FROM audit WHERE number = 2)",
    );

    expect((await ran("audit", "verify")).code).toBe(0);
    const { code, stderr } = await ran("audit", "verify", "--head", heads);
    expect(code).toBe(1);
    expect(stderr).toContain("default row 3: row 3 of a kept head");
  });

  test("prints the public key", async () => {
    const { ran } = await withEntries(1);
    expect((await ran("audit", "public-key")).stdout).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  });
});

describe("audit export", () => {
  test("prints every entry once, oldest first, and continues where it ended", async () => {
    const { ran } = await withEntries(3);
    const first = await ran("audit", "export", "--since", "2020-01-01T00:00:00Z");
    const lines = first.stdout.trimEnd().split("\n");
    const after = /--after (au_\w+)/.exec(first.stderr)?.[1] ?? "";
    const nothing = await ran("audit", "export", "--after", after);
    await ran("keys", "create", "later");
    const later = await ran("audit", "export", "--after", after);

    expect(lines.map((line) => at(JSON.parse(line), "number"))).toEqual([1, 2, 3]);
    expect([nothing.stdout, nothing.stderr]).toEqual(["", `Continue with --after ${after}\n`]);
    expect(at(JSON.parse(later.stdout), "details.after.name")).toBe("later");
    expect((await ran("audit", "export", "--since", "2999-01-01T00:00:00Z")).stdout).toBe("");
    expect((await ran("audit", "export", "--since", "soon")).code).toBe(2);
  });
});

describe("audit forget-user", () => {
  test("erases the name, and leaves the chain intact", async () => {
    const { ran } = await withEntries(1);
    const users = async (): Promise<unknown> =>
      at(jsonOf(await ran("audit", "list", "--action", "key.", "-o", "json")), "0.details.after.users.0");
    expect(await users()).toBe("alice");
    expect((await ran("audit", "forget-user", "alice")).code).toBe(0);

    expect(await users()).toMatch(/^ps_[0-9a-f]{32}$/);
    expect((await ran("audit", "verify")).code).toBe(0);
    expect((await ran("audit", "forget-user", "alice")).stderr).toContain("does not name this user");
  });
});
