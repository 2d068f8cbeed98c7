// Programs that get a user's own key: whose key a process has, and that it ends with the key.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Principal } from "../../../src/identity";
import { addKeyProvider, giveKey, type KeyService, startKeyService } from "../../authorization/key-page";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { markOf } from "../keyed";
import { plainPrograms, type PlainPrograms } from "./plain-programs";

const SERVER = join(import.meta.dir, "server.ts");
const KEYS = { alice: "alice-key-CANARY-a1", bob: "bob-key-CANARY-b2", third: "alice-key-CANARY-c3" };
const CALLS = 1000;
const AT_ONCE = 8;

let site: Site;
let service: KeyService;
let programs: PlainPrograms;
let operator: Principal;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  programs = plainPrograms();
  site = await startSite({ parts: { programs } });
  service = startKeyService();
  for (const key of Object.values(KEYS)) service.good.add(key);
  operator = await site.runtime.identity.operator("default");
  agent = api(site.url, await site.key("admin"));
  await addKeyProvider(site, { location: "header", addresses: [service.url] });
  await site.runtime.workers.create(operator, {
    id: "notes",
    updates: "auto",
    mcp: {
      timeout: 10,
      retry: 0,
      stdio: {
        command: process.execPath,
        arguments: [SERVER],
        environment: { NOTES_TOKEN: "${user.tracker}", WHO: "${user_id}" },
      },
    },
  });
  await giveKey(site, "alice", KEYS.alice);
  await giveKey(site, "bob", KEYS.bob);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.stop();
});

async function factsOf(user: string): Promise<{ pid: number; key: string; user: string }> {
  const { body } = await agent.post("/v1/tools/execute", {
    tool_name: "Notes.facts",
    user_id: user,
    input: {},
  });
  const { pid, key, env } = Object(at(body, "output.value"));
  return { pid, key, user: env?.WHO };
}

async function endKey(user: string): Promise<void> {
  const { items } = await site.runtime.connections.list(operator, { user_id: user });
  for (const { id } of items) await site.runtime.connections.delete(operator, id);
}

describe("two users with own keys", () => {
  test("never get a process with the key of the other", async () => {
    const users = Array.from({ length: CALLS }, (_, index) => (index % 3 === 0 ? "bob" : "alice"));
    let [foreign, next] = [0, 0];
    const work = async (): Promise<void> => {
      for (let at = next++; at < CALLS; at = next++) {
        const user = users[at] === "bob" ? "bob" : "alice";
        const facts = await factsOf(user);
        if (facts.key !== markOf(KEYS[user]) || facts.user !== user) foreign++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));

    expect(foreign).toBe(0);
    expect(programs.running).toHaveLength(2);
    expect(site.logLines.join("\n")).not.toContain("CANARY");
  }, 120_000);

  test("get another process with another key", async () => {
    const before = await factsOf("alice");
    await endKey("alice");
    await giveKey(site, "alice", KEYS.third);
    const after = await factsOf("alice");

    expect(after.pid).not.toEqual(before.pid);
    expect([before.key, after.key]).toEqual([markOf(KEYS.alice), markOf(KEYS.third)]);
  });

  test("have none after the end of their key", async () => {
    await factsOf("bob");
    const running = programs.running.length;
    await endKey("bob");
    const until = Date.now() + 10_000;
    while (programs.running.length >= running && Date.now() < until) await Bun.sleep(20);

    expect(programs.running).toHaveLength(running - 1);
  });
});

test("the catalog is read without a user and without a key", () => {
  expect(Object.keys(programs.started[0]?.environment ?? {})).toEqual([]);
});
