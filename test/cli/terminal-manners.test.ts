// What a first-time user of the terminal meets.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { counted } from "../../cli/counted";
import { newTerminal } from "./support/fake-io";

test("a folder that does not exist is not created by a listing", async () => {
  const { run, home } = newTerminal();
  const folder = join(home, "tpyo");
  const ran = await run(["tools", "list", "--data-dir", folder]);

  expect([ran.code, ran.stdout, existsSync(folder)]).toEqual([2, "", false]);
  expect(ran.stderr).toContain(`runtime init --data-dir ${folder}`);
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
