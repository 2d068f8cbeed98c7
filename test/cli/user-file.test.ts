// The default user in the user's own configuration file.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { withFileLock } from "../../cli/file-lock";
import { withSetting, withUser } from "../../cli/user-file";
import { newTerminal } from "./support/fake-io";

describe("the line user: is", () => {
  test.each([
    ["added to an empty file", "", 'user: "alice"\n'],
    ["added after other keys", "port: 8080\n", 'port: 8080\nuser: "alice"\n'],
    ["added after a last line without a line end", "port: 8080", 'port: 8080\nuser: "alice"\n'],
    ["replaced in place", "user: bob # me\nport: 8080\n", 'user: "alice"\nport: 8080\n'],
    ["set if it was empty", "user:\nport: 8080\n", 'user: "alice"\nport: 8080\n'],
    ["not confused with a nested key", "a:\n  user: x\n", 'a:\n  user: x\nuser: "alice"\n'],
    ["set without changing comments", "# mine\nuser: bob\n# end\n", '# mine\nuser: "alice"\n# end\n'],
  ])("%s", (_what, before, after) => {
    expect(withUser(before, "alice")).toBe(after);
  });

  test.each(['al"ice', "al: ice", "$&", "grüße", "1234"])("stored exactly: %s", (user) => {
    expect(Bun.YAML.parse(withUser("user: bob\n", user) ?? "")).toEqual({ user });
  });

  test.each([
    ["a file in one pair of braces", "{user: bob, port: 1}\n"],
    ["a value over several lines", "user: >\n  bob\n  ray\nport: 1\n"],
    ["a file that is not YAML", "user: [\n"],
  ])("not changed in %s", (_what, text) => {
    expect(withUser(text, "alice")).toBeUndefined();
  });
});

describe("another setting is", () => {
  test.each<[string, string, string, unknown, string]>([
    ["added with its whole name", "port: 1\n", "log.access", true, "port: 1\nlog.access: true\n"],
    [
      "replaced below its group",
      "log:\n  level: info\nport: 1\n",
      "log.level",
      "debug",
      'log:\n  level: "debug"\nport: 1\n',
    ],
    ["replaced under its whole name", "log.level: info\n", "log.level", "debug", 'log.level: "debug"\n'],
    ["a list in one line", "", "redirects.allow", ["a", "b"], 'redirects.allow: ["a","b"]\n'],
  ])("%s", (_what, before, key, value, after) => {
    expect(withSetting(before, key, value)).toBe(after);
  });

  test("not changed if it has several lines", () => {
    expect(withSetting("redirects:\n  allow:\n    - a\n", "redirects.allow", ["b"])).toBeUndefined();
  });
});

test.each([
  ["config set", ["config", "set", "port", "9000"], { port: 9000 }],
  ["init", ["init", "--user", "alice", "--yes"], { user: "alice" }],
])("%s keeps what another command writes at the same time", async (_what, argv, own) => {
  const terminal = newTerminal();
  const file = join(terminal.home, ".config", "runtime", "runtime.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "host: 127.0.0.1\n");

  let ran: Promise<{ code: number }> | undefined;
  const target = realpathSync(file);
  await withFileLock(join(dirname(target), `.${basename(target)}.lock`), async () => {
    const before = readFileSync(file, "utf8");
    ran = terminal.run(argv);
    // Enough for a command that does not wait.
    await Promise.race([ran, Bun.sleep(1000)]);
    writeFileSync(file, `${before}log.level: warn\n`);
  });

  expect((await ran)?.code).toBe(0);
  expect(Bun.YAML.parse(readFileSync(file, "utf8"))).toEqual({
    host: "127.0.0.1",
    "log.level": "warn",
    ...own,
  });
});
