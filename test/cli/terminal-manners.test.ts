// What a first-time user of the terminal meets.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { counted } from "../../cli/counted";
import { newTerminal } from "./support/fake-io";

test.each([
  "tools list",
  "keys create x",
  "secrets set K --from-env HOME",
  "api GET /v1/tools",
  "projects list",
  "export",
])("a folder that does not exist is not created by `runtime %s`", async (line) => {
  const { run, home } = newTerminal();
  const folder = join(home, "tpyo");
  const ran = await run([...line.split(" "), "--data-dir", folder]);

  expect([ran.code, ran.stdout, existsSync(folder)]).toEqual([2, "", false]);
  expect(ran.stderr).toContain(`runtime init --data-dir ${folder}`);
  const spaced = await newTerminal().run(["keys", "list", "--data-dir", `${folder}/da ta`]);
  expect(spaced.stderr).toContain(`runtime init --data-dir '${folder}/da ta'`);
});

test("a folder with other files does not become an installation, and keeps its mode", async () => {
  const { run, home } = newTerminal();
  writeFileSync(join(home, "letter"), "x");
  chmodSync(home, 0o755);
  const ran = await run(["keys", "create", "x", "--data-dir", home]);

  expect([ran.code, ran.stdout, existsSync(join(home, "runtime.db"))]).toEqual([2, "", false]);
  expect(ran.stderr).toContain("contains other files, but no installation");
  expect((await run(["init", "--user", "a", "--data-dir", home])).code).toBe(0);
  expect(statSync(home).mode & 0o777).toBe(0o755);
  expect(statSync(join(home, "runtime.db")).mode & 0o777).toBe(0o600);
});

test("a new installation in a folder that a variable names is said once, and doctor doubts the variable", async () => {
  const { run, home } = newTerminal();
  const env = { RUNTIME_DATA_DIR: join(home, "tpyo") };
  const doubts = await run(["doctor"], { env });
  const first = await run(["keys", "list"], { env });
  const second = await run(["keys", "list"], { env });

  expect(doubts.stdout).toContain("contains no installation yet.");
  expect(doubts.stdout).toContain("environment RUNTIME_DATA_DIR");
  expect(first.stderr).toContain(`A new installation was created in ${env.RUNTIME_DATA_DIR} (environment`);
  expect(second.stderr).not.toContain("new installation");
});

test("the command that creates the root key says where it is, once", async () => {
  const { run } = newTerminal();
  const first = await run(["tools", "list"], { answers: [] });
  const second = await run(["tools", "list"], { answers: [] });

  expect(first.stderr).toMatch(/^The root key \S+root\.key was created\. Keep a copy/m);
  expect(second.stderr).toBe("");
});

test("a provider without endpoints names the well-known ones", async () => {
  const ran = await newTerminal().run(["providers", "create", "nosuch", "--client-id", "1"]);

  expect([ran.code, ran.stdout]).toEqual([2, ""]);
  expect(ran.stderr).toMatch(/--provider .*slack.* or give the record of another one with --file/);
});

test("a mistyped well-known provider is told the nearest one", async () => {
  const ran = await newTerminal().run([
    "providers",
    "create",
    "s",
    "--provider",
    "slakc",
    "--client-id",
    "1",
  ]);

  expect([ran.code, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toContain("well-known provider_id (did you mean slack?)");
});

test("the version has its platform", async () => {
  const { stdout } = await newTerminal().run(["version", "-o", "json"]);

  expect(JSON.parse(stdout)).toMatchObject({ version, platform: `${process.platform}-${process.arch}` });
});

test("the help of a noun has its commands before everything else, and a request over HTTP", async () => {
  const { stdout } = await newTerminal().run(["secrets", "--help"]);

  expect(stdout).not.toContain("Global Options");
  expect(stdout).toContain("/v1/admin/secrets");
});

test("commands for a conversation do not reach the model", async () => {
  const { run } = newTerminal({ RUNTIME_MODELS: MODELS });
  const ran = await run(["chat", "--no-tools"], { answers: ["/help", "/hlep", "/exit"] });

  expect([ran.code, ran.stderr.match(/\/exit, \/quit or Ctrl-C/g)?.length]).toEqual([0, 2]);
});

// Nothing listens there: a message would be an error.
const MODELS = JSON.stringify([
  { id: "local", models: ["m"], openai: { base_url: "http://127.0.0.1:9/v1" } },
]);

test("numbers agree with their nouns", () => {
  expect([0, 1, 2].map((count) => counted(count, "problem"))).toEqual([
    "0 problems",
    "1 problem",
    "2 problems",
  ]);
});
