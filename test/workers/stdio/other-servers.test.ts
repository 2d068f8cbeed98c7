// A process ends with what it was started for, also if that changes at another server or terminal.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Principal } from "../../../src/identity";
import type { Runtime } from "../../../src/runtime";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { plainPrograms, type PlainPrograms } from "./plain-programs";

const SERVER = join(import.meta.dir, "server.ts");
const FIXED = [
  { id: "fixed", updates: "auto", mcp: { stdio: { command: process.execPath, arguments: [SERVER] } } },
];

let programs: PlainPrograms;
let site: Site;
let elsewhere: Site;
let other: Runtime;
beforeAll(async () => {
  programs = plainPrograms();
  const environment = { RUNTIME_WORKERS: JSON.stringify(FIXED) };
  site = await startSite({ parts: { programs }, environment });
  const parts = { programs: plainPrograms() };
  elsewhere = await startSite({ folder: site.folder, chat: site.chat, parts, environment });
  other = elsewhere.runtime;
});
afterAll(async () => {
  await elsewhere[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

let project: string;
let operator: Principal;
let client: ReturnType<typeof api>;
let projects = 0;
beforeEach(async () => {
  project = `project-${projects++}`;
  await other.identity.createProject(await other.identity.operator("default"), project, "Sales");
  operator = await other.identity.operator(project);
  client = api(site.url, await elsewhere.key("admin", undefined, project));
  await other.workers.create(operator, {
    id: "notes",
    updates: "auto",
    mcp: { timeout: 10, retry: 0, stdio: { command: process.execPath, arguments: [SERVER] } },
  });
  await site.runtime.workers.catalogs.refresh(operator, "fixed");
});

/** The id of the process that serves the user at the first server. */
async function processOf(user: string, toolkit = "Notes"): Promise<unknown> {
  const { body } = await client.post("/v1/tools/execute", { tool_name: `${toolkit}.facts`, user_id: user });
  return at(body, "output.value.pid");
}

async function ended(...pids: unknown[]): Promise<void> {
  const until = Date.now() + 10_000;
  const isLeft = (): boolean => programs.running.some(({ pid }) => pids.includes(pid));
  while (isLeft() && Date.now() < until) await Bun.sleep(20);
  expect(isLeft()).toBe(false);
}

describe("a process ends at every server", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["its user is suspended", () => other.users.suspend(operator, "alice")],
    ["its user is erased", () => other.users.erase(operator, "alice")],
    ["its user is forgotten", () => other.inspection.forgetUser(operator, "alice")],
    ["its worker is disabled", () => other.workers.update(operator, "notes", { enabled: false })],
    ["its worker is deleted", () => other.workers.delete(operator, "notes")],
  ])("when %s at one of them", async (_what, change) => {
    const alice = await processOf("alice");
    expect(alice).toBeNumber();
    await change();

    await ended(alice);
  });

  test("when its project is deleted at one of them", async () => {
    const pids = [await processOf("alice"), await processOf("alice", "Fixed")];
    expect(pids).toEqual([expect.any(Number), expect.any(Number)]);
    await other.identity.deleteProject(await other.identity.operator("default"), project);

    await ended(...pids);
  });
});

test("the processes of others go on when a user is suspended at another server", async () => {
  const [alice, bob] = [await processOf("alice"), await processOf("bob")];
  await other.users.suspend(operator, "alice");
  await ended(alice);

  expect(await processOf("bob")).toEqual(bob);
});

test("a user who is resumed gets another process", async () => {
  const before = await processOf("alice");
  await other.users.suspend(operator, "alice");
  await ended(before);
  await other.users.resume(operator, "alice");

  expect(await processOf("alice")).toBeNumber();
});
