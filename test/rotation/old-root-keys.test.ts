// What a rotation of the root key leaves for earlier backups, and what a wrong or exposed key is told.
import { beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { jsonOf, newTerminal } from "../cli/support/fake-io";
import { testOnSqlite } from "../support/on-sqlite";

let terminal: ReturnType<typeof newTerminal>;
let key: string;
let data: string;

beforeEach(async () => {
  terminal = newTerminal();
  key = join(terminal.home, ".config/runtime/root.key");
  data = join(terminal.home, ".local/share/runtime");
  await terminal.run(["secrets", "set", "A", "-"], { stdin: "value" });
});

interface Rotated {
  id: string;
  old_id: string;
  old_in?: string;
}

async function rotate(...flags: string[]): Promise<Rotated & { stderr: string }> {
  const ran = await terminal.run(["keys", "rotate-root", "--yes", "-o", "json", ...flags]);
  expect(ran.code).toBe(0);
  return { ...(jsonOf(ran) as unknown as Rotated), stderr: ran.stderr };
}

describe("a rotation", () => {
  testOnSqlite(
    "keeps the old key in a file that only its owner can read, and says which backups need it",
    async () => {
      const before = readFileSync(key, "utf8");

      const { id, old_id, old_in, stderr } = await rotate();

      expect(old_in).toBe(`${key}.${old_id}.old`);
      expect(readFileSync(`${key}.${old_id}.old`, "utf8")).toBe(before);
      expect(statSync(`${key}.${old_id}.old`).mode & 0o777).toBe(0o600);
      expect(stderr).toMatch(/Backups from before \d{4}-\S+Z need the old root key/);
      expect(stderr).toContain(`${key}.${old_id}.old`);
      expect(id).not.toBe(old_id);
      const doctor = await terminal.run(["doctor", "--all"]);
      expect(doctor.stdout).toContain(`the root key with the id ${id}`);
      expect(doctor.stdout).toContain(`${key}.${old_id}.old`);
    },
  );

  test("keeps the keys of all rotations", async () => {
    const first = await rotate();
    const second = await rotate();
    expect([first, second].map(({ old_in }) => existsSync(old_in ?? ""))).toEqual([true, true]);
  });

  test("deletes the old key only on request", async () => {
    const { old_id, old_in, stderr } = await rotate("--delete-old");
    expect(old_in).toBeUndefined();
    expect(existsSync(`${key}.${old_id}.old`)).toBe(false);
    expect(stderr).toContain("can no longer be opened");
  });

  test("asks, and changes nothing when refused", async () => {
    const before = readFileSync(key, "utf8");
    const asked = await terminal.run(["keys", "rotate-root"], { answers: [false] });
    expect([asked.code, readFileSync(key, "utf8")]).toEqual([1, before]);
  });

  test("needs --yes without a terminal", async () => {
    const before = readFileSync(key, "utf8");
    const { code, stderr, stdout } = await terminal.run(["keys", "rotate-root"]);
    expect([code, stdout, readFileSync(key, "utf8")]).toEqual([2, "", before]);
    expect(stderr).toContain("use --yes");
  });
});

describe("a backup from before a rotation", () => {
  testOnSqlite(
    "is refused with both ids and the file that has its key, and opens with that file",
    async () => {
      cpSync(data, `${data}.backup`, { recursive: true });
      const { id, old_id } = await rotate();
      rmSync(data, { recursive: true });
      renameSync(`${data}.backup`, data);
      const now = readFileSync(key, "utf8");

      const refused = await terminal.run(["secrets", "list"]);

      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`its id is ${id}`);
      expect(refused.stderr).toContain(`needs the one with the id ${old_id}`);
      expect(refused.stderr).toContain(`${key}.${old_id}.old`);
      expect(refused.stderr).not.toContain(now.trim());
      expect(refused.stderr).toContain("set RUNTIME_ROOT_KEY_FILE to it");
      const env = { RUNTIME_ROOT_KEY_FILE: `${key}.${old_id}.old` };
      expect((await terminal.run(["secrets", "list"], { env })).code).toBe(0);
      expect(readFileSync(key, "utf8")).toBe(now);
    },
  );

  testOnSqlite("is good, opens with the old key, and leaves the key files as they are", async () => {
    const file = join(terminal.home, "before.backup");
    await terminal.run(["backup", "create", file]);
    const { old_id } = await rotate();
    // What a rotation that was killed has left.
    cpSync(`${key}.${old_id}.old`, `${key}.${old_id}`);
    const files = () =>
      readdirSync(dirname(key)).map((name) => [name, readFileSync(join(dirname(key), name), "utf8")]);
    const before = files();

    const verified = await terminal.run(["backup", "verify", file]);
    const restored = await terminal.run(["backup", "restore", file, "--data-dir", `${data}-restored`]);

    expect(verified.code).toBe(0);
    expect(verified.stderr).toContain("has opened 1 sealed value");
    expect(restored.code).toBe(0);
    expect(restored.stderr).toContain(`RUNTIME_ROOT_KEY_FILE=${key}.${old_id}.old`);
    expect(files()).toEqual(before);
  });

  testOnSqlite("is good without the old key, and is not restored with another one", async () => {
    const file = join(terminal.home, "before.backup");
    await terminal.run(["backup", "create", file]);
    const { id, old_id } = await rotate("--delete-old");

    const verified = await terminal.run(["backup", "verify", file]);
    const restored = await terminal.run(["backup", "restore", file, "--data-dir", `${data}-restored`]);

    expect(verified.code).toBe(0);
    expect(verified.stderr).toContain(`is another one (${id}), so sealed values were not opened`);
    expect(verified.stderr).toContain(`They need the key ${old_id}`);
    expect(restored.code).toBe(1);
    expect(restored.stderr).toContain("Set RUNTIME_ROOT_KEY_FILE for this command");
    expect(existsSync(`${data}-restored`)).toBe(false);
  });
});

describe("a root key file", () => {
  test.each([0o644, 0o604, 0o666, 0o620])("of mode %o stops the start with what to do", async (mode) => {
    chmodSync(key, mode);
    const { code, stderr } = await terminal.run(["secrets", "list"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`(mode 0${mode.toString(8)})`);
    expect(stderr).toContain(`Run: chmod 600 ${key}`);
    chmodSync(key, 0o600);
    expect((await terminal.run(["secrets", "list"])).code).toBe(0);
  });

  test.each([0o400, 0o600, 0o440, 0o640])("of mode %o does not", async (mode) => {
    chmodSync(key, mode);
    expect((await terminal.run(["secrets", "list"])).code).toBe(0);
  });
});
