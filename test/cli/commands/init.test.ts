import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

test("without a terminal, takes the user from flags and prints an admin and a run key", async () => {
  const { run, home } = newTerminal();
  const file = join(home, ".config", "runtime", "runtime.yaml");

  const ran = await run(["init", "--user", "alice", "-o", "json"]);

  expect(ran.code).toBe(0);
  expect(jsonOf(ran)).toMatchObject({
    user: "alice",
    config_file: file,
    keys: [
      { role: "admin", key: expect.stringMatching(/^rt_/) },
      { role: "run", key: expect.stringMatching(/^rt_/) },
    ],
  });
  expect(readFileSync(file, "utf8")).toBe('user: "alice"\n');
  expect(statSync(join(home, ".config", "runtime")).mode & 0o777).toBe(0o700);
});

test("names the root key and asks for a copy of it, also if an earlier command of a script created it", async () => {
  const { run, home } = newTerminal();
  await run(["tools", "list"]);

  const ran = await run(["init", "--user", "alice", "-o", "json"]);

  expect(at(jsonOf(ran), "root_key_file")).toBe(join(home, ".config", "runtime", "root.key"));
  expect(ran.stderr.match(/Keep a copy of/g)).toHaveLength(1);
  const again = await run(["init", "--user", "alice"]);
  expect(again.stderr).not.toContain("Keep a copy of");
});

test("uses the user as the default of other commands", async () => {
  const { run } = newTerminal();
  await run(["init", "--user", "alice"]);

  const ran = await run(["tools", "exec", "Chat.WhoAmI", "-o", "json"]);

  expect(ran.stderr).not.toContain("--user");
  expect(jsonOf(ran)).toMatchObject({ name: "tool_requirements_not_met" });
});

describe("at a terminal", () => {
  test("prompts for the user and for the creation of keys", async () => {
    const { run } = newTerminal();

    const ran = await run(["init", "-o", "json"], { answers: ["bob", true] });

    expect(ran.io.prompted).toEqual(["User that commands act for", "Create an admin and a run key?"]);
    expect(at(jsonOf(ran), "user")).toBe("bob");
    expect(at(jsonOf(ran), "keys")).toHaveLength(2);
  });

  test("exits 130 on Ctrl-C and changes no file", async () => {
    const { run, home } = newTerminal();
    const interrupt = Object.assign(new Error("closed"), { name: "ExitPromptError" });

    const { code, stdout } = await run(["init"], { answers: [interrupt] });

    expect([code, stdout]).toEqual([130, ""]);
    expect(existsSync(join(home, ".config", "runtime", "runtime.yaml"))).toBe(false);
  });

  test("does not prompt with --yes", async () => {
    const { run } = newTerminal({ USER: "carol" });

    const ran = await run(["init", "--yes", "-o", "json"], { answers: [] });

    expect(at(jsonOf(ran), "user")).toBe("carol");
  });
});

test("a second run changes the user and creates no keys", async () => {
  const { run } = newTerminal();
  await run(["init", "--user", "alice"]);

  const again = await run(["init", "--user", "bob", "-o", "json"]);

  expect(jsonOf(again)).toMatchObject({ user: "bob", keys: [] });
  expect(jsonOf(await run(["keys", "list", "-o", "json"]))).toHaveLength(2);
});

test("creates a configured file, and keeps the other keys of an existing one", async () => {
  // The root key file is next to the configuration file, unless the environment sets its path.
  const { run, home } = newTerminal({ RUNTIME_ROOT_KEY: "A".repeat(43) });
  const [fresh, present] = [join(home, "new", "own.yaml"), join(home, "present.yaml")];
  writeFileSync(present, "# ours\nport: 8080\n", { mode: 0o644 });

  await run(["init", "--user", "alice", "--config", fresh]);
  await run(["init", "--user", "alice", "--config", present]);

  expect(readFileSync(fresh, "utf8")).toBe('user: "alice"\n');
  expect(readFileSync(present, "utf8")).toBe('# ours\nport: 8080\nuser: "alice"\n');
  expect(statSync(present).mode & 0o777).toBe(0o644);
});
