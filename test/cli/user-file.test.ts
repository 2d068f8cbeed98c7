// The default user in the user's own configuration file.
import { describe, expect, test } from "bun:test";
import { withSetting, withUser } from "../../cli/user-file";

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
