import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import type { Environment } from "../../../src/config";
import { loadConfig } from "../../support/config";
import { createRuntime } from "../../../src/runtime";
import { silentLog } from "../../../src/base";
import { jsonOf, newTerminal } from "../support/fake-io";

/** What a tool would get. */
async function stored(environment: Environment, key: string): Promise<string | undefined> {
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  try {
    return await runtime.secrets.value("default", key);
  } finally {
    await runtime.close();
  }
}

describe("the value is", () => {
  test.each([
    ["piped by echo", "https://api.example\n", "https://api.example"],
    ["piped on Windows", "https://api.example\r\n", "https://api.example"],
    ["meant to end in a line end", "https://api.example\n\n", "https://api.example\n"],
    ["piped without a line end", "https://api.example", "https://api.example"],
    ["piped with a byte order mark", "\uFEFFhttps://api.example\n", "https://api.example"],
  ])("%s", async (_how, stdin, value) => {
    const { run, env } = newTerminal();

    const { code } = await run(["secrets", "set", "VENDOR_SERVER_URL", "-"], { stdin });

    expect(code).toBe(0);
    expect(await stored(env, "VENDOR_SERVER_URL")).toBe(value);
  });

  test("in a file, and its one line end is not part of it", async () => {
    const { run, env, home } = newTerminal();
    writeFileSync(join(home, "value"), "a=b\n");

    const { code, io } = await run(["secrets", "set", "K", "--from-file", join(home, "value")]);

    expect([code, io.reads, await stored(env, "K")]).toEqual([0, 0, "a=b"]);
  });

  test("in the environment, as it is", async () => {
    const { run, env } = newTerminal();

    const { code } = await run(["secrets", "set", "K", "--from-env", "WORD"], { env: { WORD: "a=b\n" } });

    expect([code, await stored(env, "K")]).toEqual([0, "a=b\n"]);
  });

  test.each([
    ["an argument", ["secrets", "set", "K", "SECRET"], "never an argument"],
    ["an argument with a dash", ["secrets", "set", "K", "--", "-SECRET"], "never an argument"],
    ["in two ways", ["secrets", "set", "K", "-", "--from-env", "HOME"], "in one way only"],
    ["in a variable that is not set", ["secrets", "set", "K", "--from-env", "NONE"], "NONE is not set"],
    ["nothing", ["secrets", "set", "K", "-"], "The value is empty"],
  ])("never %s", async (_how, argv, message) => {
    const { run } = newTerminal();

    const { code, stdout, stderr } = await run(argv);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("SECRET");
  });

  test("typed at a terminal, unseen", async () => {
    const { run, env } = newTerminal();

    const { stdout, stderr, io } = await run(["secrets", "set", "K"], { answers: ["typed"] });

    expect(io.asked).toEqual(["The value"]);
    expect(await stored(env, "K")).toBe("typed");
    expect(stdout + stderr).not.toContain("typed");
  });
});

test("a secret is listed without its value, described, and deleted", async () => {
  const { run } = newTerminal();
  await run(["secrets", "set", "K", "-", "--description", "for the vendor"], { stdin: "hidden value" });

  const listed = await run(["secrets", "list", "-o", "json"]);
  expect(jsonOf(listed)).toEqual([expect.objectContaining({ key: "K", description: "for the vendor" })]);
  expect(listed.stdout).not.toContain("hidden value");

  expect(jsonOf(await run(["secrets", "delete", "k", "-o", "json"]))).toEqual({ id: "k", deleted: true });
  expect((await run(["secrets", "delete", "K"])).code).toBe(3);
});

test.each<[string, string[], string, string]>([
  ["a key with a blank", ["secrets", "set", "a b", "-"], "v", "invalid_parameter"],
  ["a value that is too long", ["secrets", "set", "K", "-"], "v".repeat(5001), "malformed_request"],
  ["a value in UTF-16", ["secrets", "set", "K", "-"], "v\0a\0", "malformed_request"],
])("%s is refused", async (_what, argv, stdin, name) => {
  const { run } = newTerminal();

  const ran = await run([...argv, "-o", "json"], { stdin });

  expect(ran.code).toBe(1);
  expect(jsonOf(ran)).toMatchObject({ name });
});
