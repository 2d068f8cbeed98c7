import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import type { Environment } from "../../../src/config";
import { loadConfig } from "../../support/config";
import { createRuntime } from "../../../src/runtime";
import { silentLog } from "../../../src/base";
import { jsonOf, newTerminal } from "../support/fake-io";

/** The value that a tool receives. */
async function stored(environment: Environment, key: string): Promise<string | undefined> {
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  try {
    return await runtime.secrets.value("default", key);
  } finally {
    await runtime.close();
  }
}

describe("the value of a secret is", () => {
  test.each([
    ["piped by echo", "https://api.example\n", "https://api.example"],
    ["piped on Windows", "https://api.example\r\n", "https://api.example"],
    ["with an intended line end", "https://api.example\n\n", "https://api.example\n"],
    ["piped without a line end", "https://api.example", "https://api.example"],
    ["piped with a byte order mark", "\uFEFFhttps://api.example\n", "https://api.example"],
  ])("%s", async (_how, stdin, value) => {
    const { run, env } = newTerminal();

    const { code } = await run(["secrets", "set", "VENDOR_SERVER_URL", "-"], { stdin });

    expect(code).toBe(0);
    expect(await stored(env, "VENDOR_SERVER_URL")).toBe(value);
  });

  test("read from a file without its last line end", async () => {
    const { run, env, home } = newTerminal();
    writeFileSync(join(home, "value"), "a=b\n");

    const { code, io } = await run(["secrets", "set", "K", "--from-file", join(home, "value")]);

    expect([code, io.reads, await stored(env, "K")]).toEqual([0, 0, "a=b"]);
  });

  test("taken from the environment unchanged", async () => {
    const { run, env } = newTerminal();

    const { code } = await run(["secrets", "set", "K", "--from-env", "WORD"], { env: { WORD: "a=b\n" } });

    expect([code, await stored(env, "K")]).toEqual([0, "a=b\n"]);
  });

  test.each([
    ["an argument", ["secrets", "set", "K", "SECRET"], "Do not pass secrets as arguments"],
    [
      "an argument that begins with a dash",
      ["secrets", "set", "K", "--", "-SECRET"],
      "Do not pass secrets as arguments",
    ],
    ["from two sources", ["secrets", "set", "K", "-", "--from-env", "HOME"], "only one source"],
    ["from a variable that is not set", ["secrets", "set", "K", "--from-env", "NONE"], "NONE is not set"],
    ["empty", ["secrets", "set", "K", "-"], "The value is empty"],
  ])("never %s", async (_how, argv, message) => {
    const { run } = newTerminal();

    const { code, stdout, stderr } = await run(argv);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("SECRET");
  });

  test("entered in a hidden prompt", async () => {
    const { run, env } = newTerminal();

    const { stdout, stderr, io } = await run(["secrets", "set", "K"], { answers: ["typed"] });

    expect(io.prompted).toEqual(["The value"]);
    expect(await stored(env, "K")).toBe("typed");
    expect(stdout + stderr).not.toContain("typed");
  });
});

test("lists a secret without its value, describes it, and deletes it", async () => {
  const { run } = newTerminal();
  await run(["secrets", "set", "K", "-", "--description", "for the vendor"], { stdin: "hidden value" });

  const listed = await run(["secrets", "list", "-o", "json"]);
  expect(jsonOf(listed)).toEqual([expect.objectContaining({ key: "K", description: "for the vendor" })]);
  expect(listed.stdout).not.toContain("hidden value");

  expect(jsonOf(await run(["secrets", "delete", "k", "--yes", "-o", "json"]))).toEqual({
    id: "k",
    deleted: true,
  });
  expect((await run(["secrets", "delete", "K", "--yes"])).code).toBe(3);
});

test.each<[string, string[], string, string]>([
  ["a key with a space", ["secrets", "set", "a b", "-"], "v", "invalid_parameter"],
  ["a value that is too long", ["secrets", "set", "K", "-"], "v".repeat(5001), "malformed_request"],
  ["a value in UTF-16", ["secrets", "set", "K", "-"], "v\0a\0", "malformed_request"],
])("rejects %s", async (_what, argv, stdin, name) => {
  const { run } = newTerminal();

  const ran = await run([...argv, "-o", "json"], { stdin });

  expect(ran.code).toBe(1);
  expect(jsonOf(ran)).toMatchObject({ name });
});
