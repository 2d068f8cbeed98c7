// `runtime database copy` and `check`, and what other commands do with PostgreSQL.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../support/postgres/cluster";
import { startCluster } from "../support/postgres/cluster";
import { hasPostgres } from "../support/postgres/programs";
import { temporaryFolder } from "../support/temporary";
import { jsonOf, newTerminal } from "./support/fake-io";

const SECRET = "pässwort-of-the-test";

describe("without a server", () => {
  test.each(["copy", "check"])(
    "%s refuses a password in an argument, and does not repeat it",
    async (verb) => {
      const { run } = newTerminal();
      const { code, stdout, stderr } = await run([
        "database",
        verb,
        "--to",
        `postgres://u:${SECRET}@db1/app`,
      ]);

      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(
        "--to: The database URL contains a password, and other users of this machine can see",
      );
      expect(stderr).toContain("RUNTIME_DATABASE_URL");
      expect(stderr).not.toContain(SECRET);
    },
  );

  test.each(["copy", "check"])("%s says which URL it needs", async (verb) => {
    const { code, stderr } = await newTerminal().run(["database", verb]);

    expect(code).toBe(2);
    expect(stderr).toStartWith("error: --to URL is required, for example postgres://");
  });

  test("the sandbox with another database names where its data is", async () => {
    const env = { RUNTIME_DATABASE_URL: "postgres://u@db1/app" };
    const folder = join(temporaryFolder(), "file");
    writeFileSync(folder, "");
    const { stderr } = await newTerminal(env).run(["sandbox", "--data-dir", folder]);

    expect(stderr).toContain(
      `The sandbox has its data in files in ${folder}. It does not use the PostgreSQL database.`,
    );
  });
});

describe.if(hasPostgres)("with a server", () => {
  let cluster: Cluster;
  let to: string;
  beforeAll(async () => {
    cluster = await startCluster({
      hba: ["host all postgres 127.0.0.1/32 trust", "host all all 127.0.0.1/32 scram-sha-256"],
    });
    await cluster.psql(`CREATE ROLE mover LOGIN PASSWORD '${SECRET}'`);
    await cluster.psql("CREATE DATABASE app OWNER mover");
    to = `postgres://mover@127.0.0.1:${cluster.port}/app`;
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** A terminal with an installation in files, and a schema of its own. */
  async function installed(schema: string, more: Readonly<Record<string, string>> = {}) {
    const terminal = newTerminal({ RUNTIME_DATABASE_SCHEMA: schema, ...more });
    const files = {
      RUNTIME_DATABASE_URL: undefined,
      RUNTIME_DATABASE_MIGRATE_URL: undefined,
      RUNTIME_DATABASE_PASSWORD_FILE: undefined,
    };
    expect((await terminal.run(["init", "--user", "alice", "--yes"], { env: files })).stderr).toContain(
      "keys",
    );
    return { ...terminal, folder: join(terminal.home, ".local/share/runtime") };
  }

  const withPassword = (): string => to.replace("mover@", `mover:${encodeURIComponent(SECRET)}@`);

  test("copies with a password from the environment, compares, and serves the same keys", async () => {
    const { run, folder } = await installed("one", { RUNTIME_DATABASE_URL: withPassword() });
    const copied = await run(["database", "copy", "--to", to, "-o", "json"]);

    expect(copied.stderr).toContain("The root key (");
    expect(jsonOf(copied)).toMatchObject({ from: folder, schema: "one", rows: expect.any(Number) });
    expect(copied.stdout + copied.stderr).not.toContain(SECRET);
    const checked = await run(["database", "check", "--to", to]);
    expect([checked.code, checked.stdout]).toEqual([0, ""]);
    expect(checked.stderr).toContain(`as ${folder}.`);
    expect((await run(["keys", "list", "-o", "name"])).stdout.split("\n")).toHaveLength(3);
  });

  test("copies with a password from a file, and refuses to copy again", async () => {
    const file = join(temporaryFolder(), "password");
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    const { run } = await installed("two", { RUNTIME_DATABASE_PASSWORD_FILE: file });
    expect((await run(["database", "copy", "--to", to])).code).toBe(0);
    const again = await run(["database", "copy", "--to", to]);

    expect(again.code).toBe(5);
    expect(again.stderr).toContain("The schema two of ");
    expect(again.stderr).toContain("Compare it with the data folder: runtime database check");
  });

  test("does not send the password of the environment to another host or user", async () => {
    const { run } = await installed("three", { RUNTIME_DATABASE_URL: withPassword() });
    const { code, stderr } = await run(["database", "copy", "--to", to.replace("127.0.0.1", "localhost")]);

    expect(code).not.toBe(0);
    expect(stderr).toContain("refuses the password of the user mover");
  });

  test("check exits 1 and names what differs", async () => {
    const { run } = await installed("four", { RUNTIME_DATABASE_URL: withPassword() });
    await run(["database", "copy", "--to", to]);
    await cluster.psql("UPDATE four.api_keys SET name = 'other' WHERE role = 'run'", "app");
    const { code, stdout } = await run(["database", "check"]);

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^runtime\.api_keys: 2 rows in the data folder, 2 in PostgreSQL, not the same; for example key_/,
    );
    expect((await run(["database", "check", "--no-compare"])).code).toBe(0);
  });

  test("backup, doctor, status and others look at PostgreSQL, without a data folder", async () => {
    const { run, folder, home } = await installed("five", { RUNTIME_DATABASE_URL: withPassword() });
    await run(["database", "copy", "--to", to]);
    rmSync(folder, { recursive: true });

    const backup = await run(["backup", "create", join(home, "x.backup")]);
    expect(backup.code).toBe(1);
    expect(backup.stderr).toContain("with its own means, pg_dump or continuous archiving (docs/scaling.md)");
    writeFileSync(join(home, "x.backup"), "");
    expect((await run(["backup", "restore", join(home, "x.backup")])).stderr).toContain(
      "but database.url is set",
    );
    const findings = jsonOf(await run(["doctor", "-o", "json"]));
    expect(findings).toContainEqual(expect.objectContaining({ check: "database", status: "ok" }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "database notifications", status: "ok" }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: "stored values", status: "ok" }));
    expect((await run(["status"])).stderr).toContain("Commands run on the database 127.0.0.1:");
    expect((await run([])).stdout).toContain("There is no auth provider yet");
    expect(jsonOf(await run(["database", "migrate", "-o", "json"]))).toMatchObject({
      from: null,
      done: true,
    });
    expect(existsSync(join(folder, "runtime.db"))).toBe(false);
  });

  test("doctor creates nothing in an empty database, and names a superuser and left files", async () => {
    const { run, folder } = await installed("six", { RUNTIME_DATABASE_URL: cluster.url("app") });
    const { stdout } = await run(["doctor", "-o", "json"]);
    const findings: unknown = JSON.parse(stdout);

    expect(findings).toContainEqual(expect.objectContaining({ check: "tables", status: "warning" }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "database user", message: "The user postgres is a superuser." }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "data folder",
        message: `${folder} has runtime.db and executions.db, which no server uses while database.url is set.`,
      }),
    );
    expect(await cluster.psql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'six%'", "app")).toBe("");
  });

  test("copies with the user of migrations, and names what the user of the servers lacks", async () => {
    await cluster.psql(`CREATE ROLE server LOGIN PASSWORD '${SECRET}'`, "app");
    const serving = withPassword().replace("mover:", "server:");
    const { run } = await installed("eight", {
      RUNTIME_DATABASE_URL: serving,
      RUNTIME_DATABASE_MIGRATE_URL: withPassword(),
    });
    const { stderr } = await run(["database", "copy"]);
    expect(stderr).toContain("The user of database.url may not read and write 53 tables yet.");
    const grants =
      "GRANT USAGE ON SCHEMA eight, eight_executions TO server; " +
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA eight, eight_executions TO server";
    expect(jsonOf(await run(["doctor", "-o", "json"]))).toContainEqual({
      check: "tables",
      status: "problem",
      message: "The user server may not read and write 53 of the tables.",
      fix: `As the owner of the tables: ${grants}`,
    });
    await cluster.psql(grants, "app");

    expect(jsonOf(await run(["doctor", "-o", "json"]))).toContainEqual(
      expect.objectContaining({ check: "tables", status: "ok" }),
    );
    expect((await run(["keys", "list", "-o", "name"])).code).toBe(0);
    expect((await run(["database", "check"])).code).toBe(0);
  });

  test("a bundle has the sizes of tables and no password", async () => {
    const { run, home } = await installed("seven", { RUNTIME_DATABASE_URL: withPassword() });
    await run(["database", "copy", "--to", to]);
    mkdirSync(join(home, "out"));
    const file = join(home, "out", "b.tgz");
    expect((await run(["doctor", "--bundle", file])).code).toBe(0);
    const text = Bun.spawnSync(["tar", "xzOf", file]).stdout.toString();

    expect(text).toContain('"engine": "postgresql"');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(encodeURIComponent(SECRET));
  });
});
