import { describe, expect, test } from "bun:test";
import { timeOf } from "../../../cli/commands/keys";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

test("creates a key, lists it without its secret, shows and revokes it", async () => {
  const { run } = newTerminal();

  const created = await run(["keys", "create", "agent", "--user", "alice", "--user", "bob", "-o", "json"]);
  const record = jsonOf(created);
  const id = String(at(record, "id"));
  expect(created.code).toBe(0);
  expect(record).toMatchObject({
    name: "agent",
    role: "run",
    project_id: "default",
    users: ["alice", "bob"],
  });
  expect(at(record, "key")).toMatch(/^rt_\w{49}$/);
  expect(created.stderr).toContain("only now");

  const listed = await run(["keys", "list", "-o", "json"]);
  expect(jsonOf(listed)).toEqual([expect.objectContaining({ id, name: "agent" })]);
  expect(listed.stdout).not.toContain(String(at(record, "key")));
  expect(jsonOf(await run(["keys", "show", id, "-o", "json"]))).not.toHaveProperty("key");

  expect(jsonOf(await run(["keys", "delete", id, "--yes", "-o", "json"]))).toEqual({ id, deleted: true });
  expect(jsonOf(await run(["keys", "list", "-o", "json"]))).toEqual([]);
  expect((await run(["keys", "delete", id, "--yes"])).code).toBe(3);
});

test("prints a new key in its table, and nothing else to standard output", async () => {
  const { run } = newTerminal();

  const { stdout } = await run(["keys", "create", "agent", "--role", "admin", "--expires", "12h"]);

  expect(stdout).toMatch(/^key +rt_\w{49}$/m);
  expect(stdout).toMatch(/^role +admin$/m);
  expect(stdout).toMatch(/^expires +\d{4}-/m);
});

test("exits 3 for a project that does not exist", async () => {
  const { run } = newTerminal();

  const ran = await run(["keys", "list", "--project", "other", "-o", "json"]);

  expect(ran.code).toBe(3);
  expect(jsonOf(ran)).toMatchObject({ name: "not_found", message: expect.stringContaining('"other"') });
});

describe("--expires", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  test.each([
    ["30m", "2026-01-01T00:30:00.000Z"],
    ["12h", "2026-01-01T12:00:00.000Z"],
    ["90d", "2026-04-01T00:00:00.000Z"],
    ["2w", "2026-01-15T00:00:00.000Z"],
    ["2030-01-31T00:00:00Z", "2030-01-31T00:00:00.000Z"],
    ["2030-01-31", "2030-01-31T00:00:00.000Z"],
  ])("%s", (text, time) => {
    expect(new Date(timeOf(text, now)).toISOString()).toBe(time);
  });

  test.each(["", "soon", "90", "1y", "-1d", "2030-13-01"])("rejects %s", (text) => {
    expect(() => timeOf(text, now)).toThrow("--expires takes a time");
  });
});
