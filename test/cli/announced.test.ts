// Announcements of servers: those of living servers stay, those of killed ones go, by heartbeats and monotonic time only.
import { beforeEach, describe, expect, onTestFinished, test } from "bun:test";
import { findServer } from "../../cli/probe";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { announcedServers, announceServer, proofOf } from "../../src/serving";
import { query, run, setFact } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";
import { StillClock } from "../telemetry/traces/still-clock";

const LOOK_MS = 30_000;
/** Until a dead server is noticed: three heartbeats of a minute, and one look. */
const NOTICED_MS = 7 * LOOK_MS;
const MOST = 256;
const FACTS = query<{ name: string; value: string }>(
  "SELECT name, value FROM facts WHERE name LIKE 'server:%' ORDER BY name",
);

let home: string;
let clock: StillClock;
beforeEach(() => {
  home = temporaryFolder();
  clock = new StillClock();
});

/** A process on the data folder. */
async function opened(): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog, clock });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** A server that lives, as far as a proof needs one. */
async function living(): Promise<{ runtime: Runtime; address: string; withdraw(): Promise<void> }> {
  const runtime = await opened();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async ({ url }) => {
      const { searchParams } = new URL(url);
      const [id, challenge] = ["server", "challenge"].map((name) => searchParams.get(name) ?? "");
      return Response.json({ proof: await proofOf(runtime.core, id ?? "", challenge ?? "") });
    },
  });
  onTestFinished(() => server.stop(true));
  const address = `http://127.0.0.1:${server.port}`;
  return { runtime, address, withdraw: await announceServer(runtime.core, address) };
}

/** Servers that were killed right after they had been announced. */
async function killed(count: number): Promise<void> {
  const runtime = await opened();
  for (let index = 0; index < count; index++) await announceServer(runtime.core, "http://127.0.0.1:1");
  await runtime.close();
}

const addresses = async ({ core }: Runtime) => (await announcedServers(core)).map(({ address }) => address);

/** Lets time pass. Each of the living servers gets the turn that its database needs. */
async function pass(ms: number, servers: readonly { runtime: Runtime; address: string }[]): Promise<void> {
  const [observer] = servers;
  const changed = async (): Promise<string[]> => {
    const facts = (await observer?.runtime.core.store.all(FACTS)) ?? [];
    return servers.map(({ address }) => facts.find(({ value }) => value.includes(address))?.value ?? "");
  };
  for (let passed = 0; passed < ms; passed += LOOK_MS) {
    const before = await changed();
    await clock.pass(LOOK_MS);
    for (let turn = 0; turn < 2000; turn++) {
      const after = await changed();
      if (after.every((value, index) => value !== "" && value !== before[index])) break;
      await Bun.sleep(1);
    }
  }
}

describe("a living server", () => {
  test("is found after many others on its data folder were killed", async () => {
    const server = await living();
    await killed(40);

    expect(await findServer(server.runtime)).toMatchObject({ address: server.address });
    await pass(NOTICED_MS, [server]);
    expect(await findServer(server.runtime)).toMatchObject({ address: server.address });
  });

  test("stays announced as long as it lives, with another one next to it", async () => {
    const servers = [await living(), await living()];
    await pass(3 * NOTICED_MS, servers);

    expect((await addresses(await opened())).toSorted()).toEqual(
      servers.map(({ address }) => address).toSorted(),
    );
  });

  test("is announced again, under the same id, if another one took it for dead", async () => {
    const server = await living();
    const { core } = server.runtime;
    const before = await announcedServers(core);
    await core.store.write(() => run(query("DELETE FROM facts WHERE name LIKE 'server:%'")));
    await pass(LOOK_MS, [server]);

    expect(await announcedServers(core)).toEqual(before);
  });

  test("keeps its place among the newest", async () => {
    const [first, second] = [await living(), await living()];
    await pass(LOOK_MS, [first, second]);

    expect(await addresses(first.runtime)).toEqual([second.address, first.address]);
  });
});

describe("a killed server", () => {
  test("is not announced any more when a living one has watched long enough", async () => {
    const server = await living();
    await killed(3);
    await pass(NOTICED_MS - 2 * LOOK_MS, [server]);
    expect(await addresses(server.runtime)).toHaveLength(4);

    await pass(2 * LOOK_MS, [server]);
    expect(await addresses(server.runtime)).toEqual([server.address]);
  });

  test("is not taken for a living one, and the other way round, when the wall clock is set", async () => {
    const server = await living();
    await killed(1);
    const { now } = clock;
    clock.now = () => now() + 30 * 86_400_000;
    await pass(LOOK_MS, [server]);
    expect(await addresses(server.runtime)).toHaveLength(2);

    clock.now = () => now() - 30 * 86_400_000;
    await pass(NOTICED_MS, [server]);
    expect(await addresses(server.runtime)).toEqual([server.address]);
  });

  test("does not push out a living one, however many are killed before one can watch", async () => {
    const server = await living();
    await killed(MOST + 40);
    expect(await addresses(server.runtime)).toHaveLength(MOST);

    await pass(LOOK_MS, [server]);
    expect(await findServer(server.runtime)).toMatchObject({ address: server.address });
    await pass(NOTICED_MS, [server]);
    expect(await addresses(server.runtime)).toEqual([server.address]);
  });
});

test("a server that has stopped is not announced again", async () => {
  const [server, other] = [await living(), await living()];
  await clock.pass(LOOK_MS);
  await server.withdraw();
  await pass(LOOK_MS, [other]);

  expect(await addresses(other.runtime)).toEqual([other.address]);
});

test("a server of an earlier version, which does not change its announcement, is not taken for dead", async () => {
  const server = await living();
  const earlier = { address: "http://127.0.0.1:2", public_url: "", pid: 1, instance: "x", sequence: 9 };
  await server.runtime.core.store.write(() => setFact("server:earlier", JSON.stringify(earlier)));
  await pass(2 * NOTICED_MS, [server]);

  expect(await addresses(server.runtime)).toEqual([earlier.address, server.address]);
});
