// Processes of programs end at every server, also where each has a data folder of its own: nothing is seen in its folders then.
import { afterAll, beforeAll, beforeEach, describe, expect } from "bun:test";
import { join } from "node:path";
import type { Principal } from "../../../src/identity";
import type { Runtime } from "../../../src/runtime";
import { api, at } from "../../support/api";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";
import { plainPrograms, type PlainPrograms } from "../../workers/stdio/plain-programs";
import { startThreeServers, type ThreeServers } from "./servers";

const PROGRAM = join(import.meta.dir, "../../workers/stdio/server.ts");
const NOTES = {
  id: "notes",
  updates: "auto",
  mcp: { stdio: { command: process.execPath, arguments: [PROGRAM] } },
};

let programs: PlainPrograms;
let three: ThreeServers;
let other: Runtime;
let operator: Principal;
let client: ReturnType<typeof api>;
beforeAll(async () => {
  if (!hasPostgres) return;
  programs = plainPrograms();
  const environment = { RUNTIME_WORKERS: JSON.stringify([NOTES]) };
  three = await startThreeServers({ parts: { programs }, environment });
  other = three.at(1).runtime;
}, 60_000);
afterAll(async () => three?.[Symbol.asyncDispose]());

beforeEach(async () => {
  if (!hasPostgres) return;
  await other.identity.createProject(three.operator, "sales", "Sales");
  operator = await other.identity.operator("sales");
  const { key = "" } = await other.identity.createKey(operator, { name: "agent", role: "admin" });
  client = api(three.at(0).address, key);
  await other.workers.catalogs.refresh(operator, "notes");
});

/** The id of the process that serves the user at the first server. */
async function processOf(user: string): Promise<unknown> {
  const { body } = await client.post("/v1/tools/execute", { tool_name: "Notes.facts", user_id: user });
  return at(body, "output.value.pid");
}

async function end(pid: unknown): Promise<void> {
  const until = Date.now() + 10_000;
  const isLeft = (): boolean => programs.running.some((program) => program.pid === pid);
  while (isLeft() && Date.now() < until) await Bun.sleep(20);
  expect(isLeft()).toBe(false);
}

const deleteProject = (): Promise<void> => other.identity.deleteProject(three.operator, "sales");

describe("a process of one server ends", () => {
  testOnPostgres("when its user is suspended at another", async () => {
    const [alice, bob] = [await processOf("alice"), await processOf("bob")];
    await other.users.suspend(operator, "alice");
    await end(alice);

    expect(await processOf("bob")).toEqual(bob);
    await deleteProject();
  });

  testOnPostgres("when its user is erased at another", async () => {
    const [alice, bob] = [await processOf("alice"), await processOf("bob")];
    await other.users.erase(operator, "alice");
    await end(alice);

    expect(await processOf("bob")).toEqual(bob);
    await deleteProject();
  });

  testOnPostgres("when its project is deleted at another", async () => {
    const pid = await processOf("alice");
    expect(pid).toBeNumber();
    await deleteProject();

    await end(pid);
  });
});
