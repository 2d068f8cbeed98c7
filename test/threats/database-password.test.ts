// The password of the database is in none of the places where settings, errors and logs are shown.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newTerminal } from "../cli/support/fake-io";
import { type Canaries, found } from "../support/canaries";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "./figure";

setDefaultTimeout(60_000);

const CANARIES: Canaries = {
  url: "canary+of/the:url@ %",
  migrate_url: "canary-of-the-migrate-url",
  file: "canary-of-the-password-file",
  command: "canary-of-the-password-command",
};

const of = (name: string): string => encodeURIComponent(CANARIES[name] ?? "");
/** Nothing listens there. */
const at = (name: string): string => `postgres://runtime:${of(name)}@127.0.0.1:1/app`;
const WITHOUT = "postgres://runtime@127.0.0.1:1/app";

const COMMANDS = [
  ["config", "show"],
  ["config", "show", "--origin", "-o", "json"],
  ["config", "show", "database.url", "-o", "json"],
  ["config", "set", "log.level", "debug"],
  ["doctor"],
  ["doctor", "-o", "json"],
  ["keys", "list"],
  ["status"],
];

const SOURCES: [string, (home: string) => Record<string, string>][] = [
  [
    "the environment",
    () => ({ RUNTIME_DATABASE_URL: at("url"), RUNTIME_DATABASE_MIGRATE_URL: at("migrate_url") }),
  ],
  [
    "the configuration file",
    (home) => {
      const file = join(home, ".config", "runtime", "runtime.yaml");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `database:\n  url: "${at("url")}"\n  migrate_url: "${at("migrate_url")}"\n`);
      return {};
    },
  ],
  [
    "a file",
    () => {
      const file = join(temporaryFolder(), "password");
      writeFileSync(file, CANARIES["file"] ?? "");
      chmodSync(file, 0o600);
      return { RUNTIME_DATABASE_URL: WITHOUT, RUNTIME_DATABASE_PASSWORD_FILE: file };
    },
  ],
  [
    "a program that fails",
    () => {
      const program = join(temporaryFolder(), "program");
      const word = CANARIES["command"] ?? "";
      writeFileSync(program, `#!/bin/sh\necho ${word}\necho ${word} >&2\nexit 3\n`);
      chmodSync(program, 0o755);
      return {
        RUNTIME_DATABASE_URL: WITHOUT,
        RUNTIME_DATABASE_PASSWORD_COMMAND: JSON.stringify([program]),
      };
    },
  ],
];

let places = 0;
afterAll(() =>
  printFigure("the database's password is shown", `4 sources, ${places} outputs and files: 0 contain it`),
);

test.each(SOURCES)("from %s", async (_, given) => {
  const { home, run } = newTerminal();
  const env = { RUNTIME_LOG_LEVEL: "debug", ...given(home) };
  const bundle = join(home, "bundle.tgz");

  for (const argv of [
    ...COMMANDS,
    ["backup", "create", join(home, "copy")],
    ["doctor", "--bundle", bundle],
  ]) {
    const { stdout, stderr } = await run(argv, { env });
    expect([argv.join(" "), found(CANARIES, stdout + stderr)]).toEqual([argv.join(" "), []]);
    places++;
  }
  for (const [name, text] of filesOf(home)) {
    if (name.endsWith("runtime.yaml")) continue;
    expect([name, found(CANARIES, text)]).toEqual([name, []]);
    places++;
  }
});

test("from an argument, it is refused and not repeated", async () => {
  const { run } = newTerminal();

  for (const argv of [
    ["keys", "list", "--database", at("url")],
    ["config", "set", "database.url", at("url")],
    ["keys", "list", "--database", `postgres://runtime:x@${of("url")}@127.0.0.1/app`],
    ["keys", "list", "--database", `postgres://runtime:1/canary+of@127.0.0.1/app`],
  ]) {
    const { code, stdout, stderr } = await run(argv);
    expect(code).not.toBe(0);
    expect(stderr).toContain("The database URL");
    expect(stdout + stderr).not.toContain("canary");
  }
});

function* filesOf(folder: string): Generator<[string, string]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const bytes = readFileSync(file);
    yield [file, (file.endsWith(".tgz") ? Buffer.from(Bun.gunzipSync(bytes)) : bytes).toString("latin1")];
  }
}
