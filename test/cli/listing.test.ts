// `runtime tools list`: which configuration it works with, and what it reports instead of a listing.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary";
import { runProcess } from "./support/processes";

const LIST = ["tools", "list"];

/** A home with files in its configuration folder. */
function home(files: { readonly [name: string]: string } = {}): string {
  const folder = temporaryFolder();
  const config = join(folder, ".config", "runtime");
  if (Object.keys(files).length > 0) mkdirSync(config, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(config, name), text);
  return folder;
}

describe("tools list", () => {
  test("prints a title and a line for each tool", async () => {
    const { code, stdout, stderr } = await runProcess(LIST, { env: { HOME: home() } });

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toStartWith("NAME");
    expect(stdout.split("\n").length).toBeGreaterThan(54);
  });

  test.each<[string, { readonly [name: string]: string }, { readonly [name: string]: string }]>([
    ["nothing is configured", {}, {}],
    ["the file names a user and limits", { "runtime.yaml": "user: alice\negress:\n  timeout: 10\n" }, {}],
    ["the file is empty", { "runtime.yaml": "" }, {}],
    ["variables of the server are set", {}, { RUNTIME_PORT: "1", RUNTIME_EGRESS_ALLOW: "loopback" }],
  ])("lists the tools if %s", async (_what, files, env) => {
    const { code, stdout } = await runProcess(LIST, { env: { HOME: home(files), ...env } });

    expect(code).toBe(0);
    expect(stdout).toContain("Chat.SendMessage");
  });

  test("uses the data folder in a variable", async () => {
    const RUNTIME_DATA_DIR = join(temporaryFolder(), "data");
    const { code, stdout } = await runProcess(LIST, { env: { HOME: home(), RUNTIME_DATA_DIR } });

    expect(code).toBe(0);
    expect(stdout).toContain("Chat.SendMessage");
    expect(existsSync(RUNTIME_DATA_DIR)).toBe(true);
  });

  // No server listens on port 9, so that an attempt to connect is visible.
  const UNREACHABLE = "http://127.0.0.1:9";
  const LOGIN = JSON.stringify({ current: UNREACHABLE, keys: { [UNREACHABLE]: "key" } });
  test.each<
    [string, { readonly [name: string]: string }, { readonly [name: string]: string }, number, RegExp]
  >([
    [
      "an unreachable server in a variable",
      {},
      { RUNTIME_SERVER: UNREACHABLE, RUNTIME_API_KEY: "key" },
      1,
      /127\.0\.0\.1:9/,
    ],
    [
      "an unreachable server in the file",
      { "runtime.yaml": `server: ${UNREACHABLE}\n` },
      { RUNTIME_API_KEY: "key" },
      1,
      /127\.0\.0\.1:9/,
    ],
    ["an unreachable server of a login", { "logins.json": LOGIN }, {}, 1, /127\.0\.0\.1:9/],
    ["an unknown project in a variable", {}, { RUNTIME_PROJECT: "other" }, 3, /no project "other"/],
    ["an unknown project in the file", { "runtime.yaml": "project: other\n" }, {}, 3, /no project "other"/],
    ["an unknown key", { "runtime.yaml": "servre: x\n" }, {}, 1, /did you mean "server"/],
    ["an unknown key in a group", { "runtime.yaml": "egress:\n  alow: x\n" }, {}, 1, /egress\.alow/],
    ["a file that is not YAML", { "runtime.yaml": "a: [" }, {}, 1, /not valid YAML/],
    ["a missing file", {}, { RUNTIME_CONFIG: "/nonexistent/file.yaml" }, 1, /does not exist/],
  ])("reports %s", async (_what, files, env, code, message) => {
    const result = await runProcess(LIST, { env: { HOME: home(files), ...env } });

    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toMatch(message);
  });
});
