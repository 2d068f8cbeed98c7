// Mistakes in `runtime.yaml` are named with their lines, by every command.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newTerminal } from "./support/fake-io";

function terminalWith(yaml: string) {
  const terminal = newTerminal();
  const file = join(terminal.home, ".config/runtime/runtime.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, yaml);
  return { ...terminal, file };
}

test.each<[string, string, number, string | RegExp]>([
  ["an unknown key", "# hi\nport: 80\nportt: 81\n", 3, 'unknown key "portt"; did you mean "port"?'],
  ["an unknown key in a group", "http:\n\n  idle_timeot: 9\n", 3, 'unknown key "http.idle_timeot"; did you'],
  [
    "an unknown key with dots",
    "port: 1\nhttp.idle_timeot: 9\n",
    2,
    'unknown key "http.idle_timeot"; did you',
  ],
  ["a wrong value", "user: a\nport: eighty\n", 2, '"port" must be a port, 0 to 65535.'],
  [
    "a value that is not in the list",
    "log:\n  format: text\n  level: lowd\n",
    3,
    '"log.level" must be one of',
  ],
  ["a user that is none", 'port: 1\n\nuser: ""\n', 3, '"user" '],
  ["a value for a group", "user: a\nhttp: 9\n", 2, '"http" takes nested keys'],
  ["keys below a value", "user: a\nport:\n  tls: 1\n", 2, '"port" does not take nested keys'],
  ["a secret", "user: a\nroot_key: s3cr3t\n", 2, '"root_key" is not read from the file'],
  ["a key that is given twice", "port: 1\nuser: a\nport: 2\n", 3, "port is given twice."],
  [
    "a key that is given twice in a group",
    "log:\n  level: info\n  level: debug\n",
    3,
    "level is given twice.",
  ],
  [
    "a key that is given nested and with dots",
    "log:\n  level: info\nlog.level: debug\n",
    2,
    '"log.level" is given twice.',
  ],
  ["an open list", "user: a\negress:\n  allow: [a\n", 4, "not valid YAML"],
  ["a tab", "user: a\nhttp:\n\tidle_timeout: 9\n", 3, "not valid YAML"],
  ["text without its quote", 'user: a\nroot_key: "s3cr3t\n', 3, "not valid YAML"],
  ["an alias without an anchor", "user: *someone\n", 1, /alias/],
  [
    "a model without its server",
    "user: a\nmodels:\n  - id: one\n    openai: {}\n  - id: two\n",
    5,
    '"models" entry 2 must have',
  ],
  [
    "a field of a model",
    "models:\n  - id: one\n    openai:\n      base_url: x\n",
    4,
    '"models" entry 1 openai.base_url',
  ],
])("%s", async (_what, yaml, line, expected) => {
  const { run, file } = terminalWith(yaml);
  const ran = await run(["keys", "list"]);

  expect([ran.code, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toStartWith(`error: ${file}, line ${line}: `);
  if (typeof expected === "string") expect(ran.stderr).toContain(`line ${line}: ${expected}`);
  else expect(ran.stderr).toMatch(expected);
  expect(ran.stderr).toMatch(/^[^\n]+\n$/);
  expect(ran.stderr).not.toContain("s3cr3t");
});

test("a setting of the environment is named without a line of the file", async () => {
  const { run } = terminalWith("user: a\n");
  const ran = await run(["keys", "list"], { env: { RUNTIME_PORT: "eighty" } });

  expect(ran.stderr).toBe('error: RUNTIME_PORT: "port" must be a port, 0 to 65535.\n');
});

test("names may repeat in different records", async () => {
  const record = (id: string) => `  - id: ${id}\n    openai:\n      base_url: http://127.0.0.1:1/v1\n`;
  const { run } = terminalWith(`models:\n${record("one")}${record("two")}`);

  expect((await run(["keys", "list"])).code).toBe(0);
});
