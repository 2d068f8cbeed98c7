// `runtime` without a command.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

test("shows the first steps on a new machine and creates nothing", async () => {
  const { run, home } = newTerminal();

  const { code, stdout } = await run([]);

  expect(code).toBe(0);
  expect(stdout).toContain("runtime init");
  expect(readdirSync(home)).toEqual([]);
});

test("shows three commands for each state", async () => {
  const { run } = newTerminal();
  const state = async () => {
    const record = jsonOf(await run(["-o", "json"]));
    expect(at(record, "next")).toHaveLength(3);
    return [at(record, "state"), at(record, "next.0.command")];
  };

  expect(await state()).toEqual(["no_key", "runtime init"]);
  await run(["tools", "list"]);
  expect(await state()).toEqual(["no_key", "runtime init"]);
  await run(["keys", "create", "agent"]);
  expect(await state()).toEqual(["no_provider", expect.stringContaining("runtime providers create slack")]);
  await run(["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"]);
  expect(await state()).toEqual(["ready", "runtime tools list"]);
});

test("names the missing setting without a home folder, and does not fail", async () => {
  const { code, stdout, stderr } = await newTerminal({ HOME: "/" }).run([]);

  expect(code).toBe(0);
  expect(stdout).toContain("runtime init");
  expect(stderr).toContain("RUNTIME_DATA_DIR");
});
