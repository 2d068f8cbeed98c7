// What tools remember between runs and processes: for whom, how long, how much, and what becomes of it with its owner.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "../../src/runtime";
import type { MemoryKind, ToolContext } from "../../src/tools";
import { testOnSqlite } from "../support/on-sqlite";
import { agent, deploy, type Deployment, operator } from "./deployment";

const NAMES: MemoryKind = { name: "names", of: "connection" };
const BLOCKS: MemoryKind = { name: "blocks", of: "account" };
const HOUR = 3_600_000;

let deployment: Deployment;
beforeEach(async () => {
  deployment = await deploy();
  await deployment.addProvider();
  await deployment.give("alice", { facts: { account: "T1" }, expiresIn: null });
});
afterEach(() => deployment[Symbol.asyncDispose]());

/** Runs a tool of the user that does this with its memory. */
async function within<T>(
  work: (context: ToolContext) => Promise<T>,
  { user = "alice", project = "default", runtime = deployment.runtime as Runtime } = {},
): Promise<T> {
  let result: { value: T } | undefined;
  deployment.test.act = async (_input, context) => {
    result = { value: await work(context) };
    return {};
  };
  const request = { tool_name: "Test.ActFor", user_id: user, input: {} };
  const { success, output } = await runtime.tools.execute(agent(null, project), request);
  if (!success || result === undefined) throw new Error(output?.error?.message ?? "The tool did not run.");
  return result.value;
}

const write = (kind: MemoryKind, value: string, whose: Parameters<typeof within>[1] = {}) =>
  within(({ memory }) => memory.write(kind, "thing", 0, { value }, HOUR), whose);
const read = async (kind: MemoryKind, whose: Parameters<typeof within>[1] = {}) =>
  (await within(({ memory }) => memory.read(kind, "thing"), whose)).map(({ value }) => value);

/** A second project with the same client, and the same account at the platform. */
async function otherProject(): Promise<void> {
  await deployment.runtime.identity.createProject(operator(), "second", "second");
  await deployment.addProvider({}, "second");
  await deployment.give("alice", { project: "second", facts: { account: "T1" } });
}

function rows(): Promise<{ owner: string; connection_id: string | null; sealed_value: string }[]> {
  return deployment.runtime.core.store.all({
    text: "SELECT owner, connection_id, sealed_value FROM tool_memory ORDER BY owner",
  });
}

describe("what a user's tools remember", () => {
  test("is known to other processes, in parts", async () => {
    await within(async ({ memory }) => {
      await memory.write(NAMES, "thing", 0, ["ada"], HOUR);
      await memory.write(NAMES, "thing", 1, ["bob"], HOUR);
      await memory.write(NAMES, "other", 0, ["eve"], HOUR);
    });
    const runtime = await deployment.another();
    const parts = await within(({ memory }) => memory.read(NAMES, "thing"), { runtime });
    expect(parts.map(({ part, value }) => [part, value])).toEqual([
      [0, ["ada"]],
      [1, ["bob"]],
    ]);
    expect((await within(({ memory }) => memory.read(NAMES, "thing", 1), { runtime })).length).toBe(1);
  });

  test("is not known to another user's", async () => {
    await deployment.give("bob", { facts: { account: "T1" } });
    await write(NAMES, "seen by alice");
    expect(await read(NAMES, { user: "bob" })).toEqual([]);
    expect(await read(NAMES)).toEqual([{ value: "seen by alice" }]);
  });

  test("is not known to the same user's in another project", async () => {
    await otherProject();
    await write(NAMES, "first");
    expect(await read(NAMES, { project: "second" })).toEqual([]);
  });

  test("is forgotten with a new consent, which may be for another account", async () => {
    await write(NAMES, "old");
    await deployment.give("alice", { facts: { account: "T2" } });
    expect(await read(NAMES)).toEqual([]);
    await write(NAMES, "new");
    expect(await rows()).toHaveLength(1);
  });

  test("is deleted with the connection", async () => {
    await write(NAMES, "old");
    await write(BLOCKS, "of the account");
    const { items } = await deployment.runtime.connections.list(operator(), {});
    await deployment.runtime.connections.delete(operator(), items[0]?.id ?? "");
    expect((await rows()).map(({ connection_id }) => connection_id)).toEqual([null]);
  });
});

describe("what the users of an account share", () => {
  beforeEach(async () => {
    await deployment.give("bob", { facts: { account: "T1" } });
    await deployment.give("carol", { facts: { account: "T2" } });
    await deployment.give("dave");
    await write(BLOCKS, "of T1");
  });

  test.each([
    ["the same account", "bob", [{ value: "of T1" }]],
    ["another account", "carol", []],
    ["an unknown account", "dave", []],
  ])("is known to a user of %s as it should be", async (_, user, expected) => {
    expect(await read(BLOCKS, { user })).toEqual(expected);
  });

  test("is not known to another project with the same client and account", async () => {
    await otherProject();
    expect(await read(BLOCKS, { project: "second" })).toEqual([]);
    await write(BLOCKS, "of the second", { project: "second" });
    expect(await read(BLOCKS)).toEqual([{ value: "of T1" }]);
  });

  test("is not known to another client", async () => {
    await deployment.runtime.providers.update(operator(), "idp", { oauth2: { client_id: "another" } });
    expect(await read(BLOCKS)).toEqual([]);
  });
});

test("is deleted with the project", async () => {
  await otherProject();
  await write(NAMES, "first", { project: "second" });
  await write(BLOCKS, "first", { project: "second" });
  await deployment.runtime.identity.deleteProject(operator(), "second");
  expect(await rows()).toEqual([]);
});

testOnSqlite("is sealed, and again after a rotation", async () => {
  await within(({ memory }) => memory.write(NAMES, "thing", 0, { name: "a-name-CANARY" }, HOUR));
  await within(({ memory }) => memory.write(NAMES, "long", 0, Array(1000).fill("a-name-CANARY"), HOUR));
  const [before] = await rows();
  await deployment.runtime.rotation.rotateDataKey(operator());
  const [after] = await rows();
  expect(after?.sealed_value.split(".")[1]).not.toBe(before?.sealed_value.split(".")[1] ?? "");
  expect(await read(NAMES)).toEqual([{ name: "a-name-CANARY" }]);
  const files = ["runtime.db", "runtime.db-wal"].map((file) =>
    join(deployment.folder, ".local/share/runtime", file),
  );
  for (const file of files) expect(readFileSync(file).includes("a-name-CANARY")).toBe(false);
});

test("of several processes that begin at once, one wins", async () => {
  const begin = (value: string, since?: number) =>
    within(({ memory }) => memory.write(NAMES, "thing", 0, { value }, HOUR, since));
  expect(await begin("first", 0)).toBe(true);
  expect(await begin("second", 0)).toBe(false);
  expect(await read(NAMES)).toEqual([{ value: "first" }]);
  // One that knows the first to be out of date.
  deployment.clock.move(1000);
  expect(await begin("third", deployment.clock.now())).toBe(true);
  deployment.clock.move(2 * HOUR);
  expect(await begin("fourth", 0)).toBe(true);
  expect(await read(NAMES)).toEqual([{ value: "fourth" }]);
});

describe("time", () => {
  test("all parts are kept as long as the latest one says, and then removed", async () => {
    const put = (part: number) => within(({ memory }) => memory.write(NAMES, "thing", part, { part }, HOUR));
    await put(0);
    deployment.clock.move(HOUR * 0.9);
    await put(1);
    deployment.clock.move(HOUR * 0.9);
    expect(await read(NAMES)).toHaveLength(2);
    deployment.clock.move(HOUR * 0.2);
    expect(await read(NAMES)).toEqual([]);
    await within(({ memory }) => memory.write(NAMES, "other", 0, {}, HOUR));
    expect(await rows()).toHaveLength(1);
  });

  test("a clock that was set back makes the age unknown", async () => {
    await write(NAMES, "old");
    deployment.clock.jump(-HOUR);
    expect(await read(NAMES)).toEqual([]);
  });
});

describe("room", () => {
  /** Text that does not shrink: 1 MB. */
  const large = (): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(49_152)))
      .toString("hex")
      .repeat(1);
  const megabyte = (): string[] => Array.from({ length: 12 }, large);
  const size = async () => {
    const [row] = await deployment.runtime.core.store.all<{ bytes: number }>({
      text: "SELECT SUM(bytes) AS bytes FROM tool_memory",
    });
    return row?.bytes ?? 0;
  };

  test("is limited for a project: the oldest things go, others keep theirs", async () => {
    await otherProject();
    await write(NAMES, "second", { project: "second" });
    for (let n = 0; n < 8; n++)
      await within(({ memory }) => memory.write(NAMES, `thing-${n}`, 0, megabyte(), HOUR));
    expect(await size()).toBeLessThan(5_000_000);
    expect(await within(({ memory }) => memory.read(NAMES, "thing-0"))).toEqual([]);
    expect(await within(({ memory }) => memory.read(NAMES, "thing-7"))).toHaveLength(1);
    expect(await read(NAMES, { project: "second" })).toHaveLength(1);
  });

  test("is limited for one thing, which is forgotten as a whole", async () => {
    for (let part = 0; part < 4; part++)
      await within(({ memory }) => memory.write(NAMES, "thing", part, megabyte(), HOUR));
    expect(await size()).toBeLessThan(3_000_001);
  });
});

test("a tool goes on without it when the database cannot be written", async () => {
  const { store } = deployment.runtime.core;
  await store.write(function* () {
    yield { method: "run", text: "DROP TABLE tool_memory", params: [] };
  });
  await write(NAMES, "lost");
  expect(await read(NAMES)).toEqual([]);
  expect(deployment.logLines.some((line) => line.includes("a tool's memory is not available"))).toBe(true);
});
