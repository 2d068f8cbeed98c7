// Disks that are not writable, at start or later, and unknown users.
import { Database } from "bun:sqlite";
import { describe, expect, onTestFinished, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { firstLine, MAIN, runProcess } from "../cli/support/processes";
import { at, api, call } from "../support/api";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";

const IS_ROOT = process.getuid?.() === 0;
/** An id that no user of this machine has. */
const UNKNOWN_USER = 12345;
const AS_UNKNOWN_USER = IS_ROOT
  ? ["setpriv", `--reuid=${UNKNOWN_USER}`, `--regid=${UNKNOWN_USER}`, "--clear-groups"]
  : [];
const CAN_CHANGE_USER = !IS_ROOT || Bun.which("setpriv") !== null;

interface Ended {
  code: number | null;
  stderr: string;
}

/** A command line as a user without privileges, to whom file modes apply. */
async function runUnprivileged(argv: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = Bun.spawn([...AS_UNKNOWN_USER, process.execPath, MAIN, ...argv], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    cwd: "/",
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const stderr = await child.stderr.text();
  return { code: await child.exited, stderr };
}

const forAll = (path: string): string => {
  chmodSync(path, 0o777);
  return path;
};

testWith("setpriv", CAN_CHANGE_USER)(
  "a backup that the user may not read is not taken for another file",
  async () => {
    const folder = forAll(temporaryFolder());
    const env = { RUNTIME_ROOT_KEY: "A".repeat(43), RUNTIME_DATA_DIR: join(folder, "data") };
    const backups = join(folder, "backups");
    mkdirSync(backups);
    forAll(backups);
    const file = join(backups, "one.backup");
    expect((await runUnprivileged(["backup", "create", file], env)).code).toBe(0);
    chmodSync(file, 0);

    const listed = await runUnprivileged(["backup", "list", backups], env);
    const shown = await runUnprivileged(["backup", "show", file], env);

    expect(listed).toEqual({
      code: 0,
      stderr:
        "There are no backups in this folder that can be read.\n" +
        `warning: ${file} cannot be read or written: permission denied.\n`,
    });
    expect(shown).toEqual({
      code: 1,
      stderr: `error: ${file} cannot be read or written: permission denied.\n`,
    });
  },
);

describe("a start on a disk that is not writable is refused in one line with path and reason", () => {
  const testAsUser = testWith("setpriv", CAN_CHANGE_USER);
  const used = async () => {
    const data = join(forAll(temporaryFolder()), "data");
    const env = { RUNTIME_ROOT_KEY: "A".repeat(43), RUNTIME_DATA_DIR: data, RUNTIME_PORT: "0" };
    expect((await runUnprivileged(["keys", "create", "x"], env)).code).toBe(0);
    return { data, env };
  };
  const expectRefused = ({ code, stderr }: Ended, path: string): void => {
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
    expect(stderr).toStartWith("error: ");
    expect(stderr).toContain(path);
    expect(stderr).toContain("RUNTIME_DATA_DIR");
    expect(stderr).not.toMatch(/\.ts:|\n +at /);
  };

  testAsUser("a data folder of mode 0555 [fault: full-disk]", async () => {
    const { data, env } = await used();
    chmodSync(data, 0o555);
    expectRefused(await runUnprivileged(["serve"], env), data);
  });

  testAsUser.each(["runtime.db", "executions.db"])("%s of mode 0444 [fault: full-disk]", async (name) => {
    const { data, env } = await used();
    const before = statSync(join(data, name)).size;
    chmodSync(join(data, name), 0o444);

    const ended = await runUnprivileged(["serve"], env);

    expectRefused(ended, join(data, name));
    expect(ended.stderr).toContain("permission denied");
    expect(statSync(join(data, name)).size).toBe(before);
  });

  testAsUser("a missing folder that cannot be created [fault: full-disk]", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const data = join(folder, "data");
    const env = { RUNTIME_ROOT_KEY: "A".repeat(43), RUNTIME_DATA_DIR: data, RUNTIME_PORT: "0" };
    expectRefused(await runUnprivileged(["serve"], env), data);
  });

  // With 250 blocks the tables fit but not the first rows; with 8 not even the tables.
  test.each([8, 250])("a disk with room for files of %i blocks [fault: full-disk]", async (blocks) => {
    const data = join(temporaryFolder(), "data");
    const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
    const child = Bun.spawn(["sh", "-c", script, process.execPath, MAIN, "serve", "--port", "0"], {
      env: { PATH: process.env["PATH"] ?? "", RUNTIME_ROOT_KEY: "A".repeat(43), RUNTIME_DATA_DIR: data },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    onTestFinished(() => child.kill("SIGKILL"));
    const stderr = await child.stderr.text();
    expectRefused({ code: await child.exited, stderr }, data);
  });
});

test("a disk that fills up under a running server: 503, reads work, acknowledged writes are kept [fault: full-disk]", async () => {
  const home = temporaryFolder();
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const { key } = JSON.parse(
    (await runProcess(["keys", "create", "x", "--role", "admin", "-o", "json"], { env })).stdout,
  );
  const script = `ulimit -f 3000; exec "$0" "$@"`;
  const child = Bun.spawn(["sh", "-c", script, process.execPath, MAIN, "serve", "--port", "0"], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const url = await firstLine(child.stderr);
  const admin = api(url, key);
  const stored: string[] = [];
  // Large writes until one fails, then small ones, so that the disk is completely full.
  const fill = async (size: number): Promise<number> => {
    for (let count = 0; count < 2000; count++) {
      const name = `KEY_${size}_${count}`;
      const answer = await admin.post(`/v1/admin/secrets/${name}`, { value: "x".repeat(size) });
      expect(answer.text).not.toMatch(/SQLITE/i);
      if (answer.status !== 200) return answer.status;
      stored.push(name);
    }
    return 200;
  };

  expect([await fill(5000), await fill(1)]).toEqual([503, 503]);
  expect(stored.length).toBeGreaterThan(0);
  // A page or two may still fit: health tries the smallest possible write.
  let health = await call(url, { method: "GET", path: "/v1/health" });
  for (let tries = 0; health.status === 200 && tries < 50; tries++) {
    health = await call(url, { method: "GET", path: "/v1/health" });
  }
  expect([health.status, at(health.body, "healthy")]).toEqual([503, false]);
  const listed = await admin.get("/v1/admin/secrets");
  expect([listed.status, at(listed.body, "total_count")]).toEqual([200, stored.length]);
  child.kill("SIGKILL");
  await child.exited;

  const after = JSON.parse((await runProcess(["secrets", "list", "-o", "json"], { env })).stdout);
  expect(after.map((secret: { key: string }) => secret.key).toSorted()).toEqual(stored.toSorted());
  using database = new Database(join(home, ".local/share/runtime/runtime.db"));
  expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
});

describe("an unknown user with the home folder /", () => {
  testWith("setpriv", CAN_CHANGE_USER)(
    "runs commands with flags and environment, and leaves nothing in / [fault: no-home-folder]",
    async () => {
      const folder = forAll(temporaryFolder());
      const before = readdirSync("/");
      const env = { HOME: "/", RUNTIME_ROOT_KEY: "A".repeat(43) };
      const data = join(folder, "data");
      mkdirSync(data);
      forAll(data);

      expect((await runUnprivileged(["--version"], env)).code).toBe(0);
      const ended = await runUnprivileged(["keys", "create", "x", "--data-dir", data], env);
      const without = await runUnprivileged(["keys", "list"], env);

      expect([ended.code, ended.stderr.includes("error")]).toEqual([0, false]);
      expect(readdirSync(data)).toContain("runtime.db");
      expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("RUNTIME_DATA_DIR")]);
      expect(readdirSync("/")).toEqual(before);
    },
  );
});
