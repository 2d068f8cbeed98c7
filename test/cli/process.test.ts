// The command line as processes: pipes, exit codes, terminals, several at once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import { loadConfig } from "../support/config";
import { createRuntime } from "../../src/runtime";
import { temporaryFolder } from "../support/temporary";
import { runProcess, runShell, startAtTerminal } from "./support/processes";
import { NO_EXTENSIONS } from "../support/extensions";

/** A project whose list of secrets is larger than any pipe. */
const BIG = 300;
let big: string;
beforeAll(async () => {
  big = mkdtempSync(join(tmpdir(), "runtime-test-"));
  const runtime = await createRuntime(loadConfig({ environment: { HOME: big } }), NO_EXTENSIONS);
  const operator = await runtime.identity.operator("default");
  const description = "ü".repeat(1000);
  const add = (n: number) => runtime.secrets.upsert(operator, `SECRET_${n}`, { value: "x", description });
  await Promise.all(Array.from({ length: BIG }, (_, n) => add(n)));
  await runtime.close();
});

afterAll(() => rmSync(big, { recursive: true, force: true }));

describe("without a home folder", () => {
  test.each([
    ["no environment", {}],
    ["a home of /", { HOME: "/" }],
    ["a home that does not exist", { HOME: "/nonexistent/home" }],
  ])("prints the version with %s [fault: no-home-folder]", async (_what, env: Record<string, string>) => {
    const { code, stdout, stderr } = await runProcess(["--version"], { env });

    expect([code, stdout, stderr]).toEqual([0, `${version}\n`, ""]);
  });

  test("commands work with flags and a root key, and write to no other folder [fault: no-home-folder]", async () => {
    const folder = temporaryFolder();
    const before = readdirSync("/");

    mkdirSync(join(folder, "data"));
    const argv = ["tools", "list", "--data-dir", join(folder, "data"), "-o", "json"];
    const { code, stdout } = await runProcess(argv, { env: { RUNTIME_ROOT_KEY: "A".repeat(43) } });

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).not.toBeEmpty();
    expect(readdirSync(folder)).toEqual(["data"]);
    expect(readdirSync("/")).toEqual(before);
  });

  test("commands work with flags alone, with the root key next to the configuration", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "own.yaml"), "port: 9000\n");
    mkdirSync(join(folder, "data"));

    const flags = ["--data-dir", join(folder, "data"), "--config", join(folder, "own.yaml")];
    const { code } = await runProcess(["keys", "create", "x", ...flags], { env: { HOME: "/" } });

    expect(code).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(["data", "own.yaml", "root.key"]);
  });

  test("names the missing setting in one line [fault: no-home-folder]", async () => {
    const { code, stdout, stderr } = await runProcess(["keys", "list"], { env: { HOME: "/" } });

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: .*--data-dir or RUNTIME_DATA_DIR\.\n$/);
  });
});

test("FORCE_COLOR colours a pipe, and NO_COLOR wins", async () => {
  const home = temporaryFolder();
  const shell = (more: object) => runShell("runtime keys list; runtime orgs list", { HOME: home, ...more });

  expect((await shell({ FORCE_COLOR: "1" })).stdout).toContain("\u001b[1m");
  expect((await shell({ FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain("\u001b[");
  expect((await shell({})).stdout).not.toContain("\u001b[");
});

describe("large output", () => {
  test("is complete in a slow pipe and equals that in a file", async () => {
    const file = join(temporaryFolder(), "out.json");

    const piped = await runShell("runtime secrets list -o json | (sleep 0.5; cat)", { HOME: big });
    const toFile = await runShell(`runtime secrets list -o json > ${file}`, { HOME: big });

    expect([piped.code, toFile.code]).toEqual([0, 0]);
    expect(piped.stdout.length).toBeGreaterThan(200_000);
    expect(piped.stdout).toBe(await Bun.file(file).text());
    expect(JSON.parse(piped.stdout)).toHaveLength(BIG);
  });

  test("is dropped silently when the reader closes the pipe", async () => {
    const head = await runShell("runtime secrets list -o json | head -1", { HOME: big });
    const none = await runShell("runtime secrets list -o json | true", { HOME: big });

    expect(head).toEqual({ code: 0, stdout: "[\n", stderr: "" });
    expect(none).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("on a full disk is an error", async () => {
    const { code, stderr } = await runShell("runtime secrets list -o json > /dev/full", { HOME: big });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Standard output cannot be written: .*\n$/);
  });

  test("on a full disk does not replace an earlier error", async () => {
    const { code, stderr } = await runShell("runtime keys show nope -o json > /dev/full", { HOME: big });

    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: The API key nope does not exist\.[^\n]*\n$/);
  });
});

// The version is printed before the program is loaded, the list by the program.
describe.each(["runtime --version", "runtime tools list"])("%s", (command) => {
  test("is silent without a reader", async () => {
    expect(await runShell(`${command} | true`, { HOME: big })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("reports a full disk", async () => {
    const { code, stderr } = await runShell(`${command} > /dev/full`, { HOME: big });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Standard output cannot be written: .*\n$/);
  });
});

describe("does not wait without a terminal", () => {
  test.each([
    [["providers", "delete", "x"], "--yes"],
    [["secrets", "set", "X"], "--from-file FILE"],
    [["init"], "--user"],
    [["tools", "exec", "Chat.WhoAmI"], "--user"],
  ])("%j on an open, silent pipe", async (argv, flag) => {
    const { code, stderr } = await runProcess(argv, { env: { HOME: temporaryFolder() }, stdin: "silent" });

    expect(code).toBe(2);
    expect(stderr).toContain(flag);
  });

  test("does not wait with a terminal on a build machine", async () => {
    const env = { HOME: temporaryFolder(), CI: "1" };

    const terminal = startAtTerminal(["secrets", "set", "X"], env);

    expect(await terminal.exited).toBe(2);
    expect(terminal.screen()).toContain("--from-file FILE");
  });
});

describe("at a terminal", () => {
  test("prompts for a secret without showing it", async () => {
    const env = { HOME: temporaryFolder() };
    const terminal = startAtTerminal(["secrets", "set", "TOKEN"], env);
    await terminal.shows("The value");

    terminal.type("hunter2\r");

    expect(await terminal.exited).toBe(0);
    expect(terminal.screen()).toMatch(/key.* TOKEN/);
    expect(terminal.screen()).not.toContain("hunter2");
  });

  test("exits 130 without a stack on Ctrl-C in a prompt", async () => {
    const terminal = startAtTerminal(["init"], { HOME: temporaryFolder() });
    await terminal.shows("User that commands act for");

    terminal.type("\u0003");

    expect(await terminal.exited).toBe(130);
    expect(terminal.screen()).not.toMatch(/ExitPromptError|\n +at /);
  });

  test.each([
    ["shows colours", {}, true],
    ["shows no colours with NO_COLOR", { NO_COLOR: "1" }, false],
    ["shows no colours on a dumb terminal", { TERM: "dumb" }, false],
  ])("%s", async (_what, more: Record<string, string>, coloured) => {
    const terminal = startAtTerminal(["tools", "list"], { HOME: temporaryFolder(), ...more });

    expect(await terminal.exited).toBe(0);
    expect(terminal.screen().includes("\u001b[1m")).toBe(coloured);
  });
});

describe("prints exactly one JSON value to standard output", () => {
  test.each<[string, string[], number]>([
    ["first run", ["tools", "list"], 0],
    ["an empty list", ["connections", "list"], 0],
    ["a new key", ["keys", "create", "x"], 0],
    ["an unknown id", ["keys", "show", "key_none"], 3],
    ["bad usage", ["keys", "create"], 2],
    ["a missing configuration", ["keys", "list", "--config", "/nonexistent.yaml"], 1],
  ])("%s", async (_what, argv, code) => {
    const ran = await runProcess([...argv, "-o", "json"], { env: { HOME: temporaryFolder() } });

    expect(ran.code).toBe(code);
    expect(() => JSON.parse(ran.stdout)).not.toThrow();
  });
});

test("reads JSON from PowerShell on standard input", async () => {
  const env = { HOME: temporaryFolder() };
  const argv = ["providers", "create", "--file", "-", "-o", "json"];
  const record = '{"id":"slack","provider_id":"slack","oauth2":{"client_id":"1"}}';

  const marked = await runProcess(argv, { env, stdin: `\uFEFF${record}\r\n` });
  const wide = await runProcess(argv, { env, stdin: Buffer.from(`\uFEFF${record}`, "utf16le") });

  expect(marked.code).toBe(0);
  expect([wide.code, JSON.parse(wide.stdout).message]).toEqual([1, expect.stringContaining("UTF-16")]);
});

test("concurrent processes create one database and lose no writes", async () => {
  const env = { HOME: temporaryFolder() };
  const keys = Array.from({ length: 8 }, (_, n) => `KEY_${n}`);

  const ended = await Promise.all(
    keys.map((key) => runProcess(["secrets", "set", key, "-"], { env, stdin: "value" })),
  );

  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(keys.map(() => [0, ""]));
  const { stdout } = await runProcess(["secrets", "list", "-o", "json"], { env });
  const stored: { key: string }[] = JSON.parse(stdout);
  expect(stored.map(({ key }) => key).toSorted()).toEqual(keys);
}, 30_000);

test("reports an unusable data folder in one line with its path", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");

  const { code, stderr } = await runProcess(
    ["init", "--user", "x", "--data-dir", join(folder, "file", "data")],
    {
      env: { HOME: folder },
    },
  );

  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: .*\/file\/data .*\n$/);
});

test("reports an invalid database in one line with its folder", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "runtime.db"), "no database ".repeat(100));

  const { code, stderr } = await runProcess(["keys", "list", "--data-dir", folder], {
    env: { HOME: folder },
  });

  expect(code).toBe(1);
  expect(stderr).toStartWith(`error: The database in ${folder} cannot be used: `);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

describe("an argument", () => {
  test("that is not UTF-8 is rejected before any work", async () => {
    const home = temporaryFolder();
    const made = await runShell("runtime keys create $'m\\xfcller'", { HOME: home });
    const { stdout } = await runShell("runtime keys list -o json", { HOME: home });

    expect(made).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("not UTF-8") });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test("that contains U+FFFD is accepted", async () => {
    const { code } = await runShell("runtime keys create 'm\uFFFDller'", { HOME: temporaryFolder() });

    expect(code).toBe(0);
  });
});

test("shows the whole record for an unknown field after a change", async () => {
  const home = temporaryFolder();
  const { code, stdout, stderr } = await runShell("runtime keys create one --fields token -o json", {
    HOME: home,
  });

  expect(code).toBe(0);
  expect(JSON.parse(stdout).key).toStartWith("rt_");
  expect(stderr).toContain("there is no field token");
});
