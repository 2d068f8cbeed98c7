// Work that takes turns, at two servers on one database.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Clock, silentLog, systemClock } from "../../src/base";
import { systemRandom } from "../../src/crypto";
import { DEAD_AFTER_MS, mainMigrations, openSqlite, query, run } from "../../src/store";
import { Turns } from "../../src/turns";
import { Failing } from "../support/failing-store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

const TAKE_OVER = query("UPDATE leases SET holder = 'another', fence = fence + 1");

function twoServers() {
  const store = closedAfterTest(
    openSqlite({ file: join(temporaryFolder(), "runtime.db"), migrations: mainMigrations }),
  );
  let offset = 0;
  let woken = new AbortController();
  const clock: Clock = {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + offset,
    // One that freezes is late for everything.
    sleep: (ms, signal) =>
      systemClock.sleep(ms, signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal])),
  };
  const core = { store, clock, random: systemRandom, log: silentLog };
  return {
    store,
    servers: [new Turns(core), new Turns(core)] as const,
    freeze: (ms: number) => {
      offset += ms;
      woken.abort();
      woken = new AbortController();
    },
  };
}

const HALF_A_MINUTE = 30_000;

describe("turns", () => {
  test("at two servers, works one after the other", async () => {
    const { servers } = twoServers();
    let [working, most] = [0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++working);
      await Bun.sleep(2);
      working--;
    };

    await Promise.all(
      Array.from({ length: 20 }, (_, index) => servers[index % 2 === 0 ? 0 : 1].during("a", work)),
    );

    expect(most).toBe(1);
    expect(working).toBe(0);
  });

  test("other names do not wait", async () => {
    const { servers } = twoServers();
    const never = Promise.withResolvers<string>();
    const first = servers[0].during("a", () => never.promise);
    expect(await servers[1].during("b", async () => "b")).toBe("b");
    expect(await servers[0].during("c", async () => "c")).toBe("c");
    never.resolve("a");
    expect(await first).toBe("a");
  });

  test("a turn that could not be ended keeps others waiting, and not its own server", async () => {
    const failing = new Failing();
    const file = join(temporaryFolder(), "runtime.db");
    const store = closedAfterTest(failing.openStore({ file, migrations: mainMigrations }));
    const core = { store, clock: systemClock, random: systemRandom, log: silentLog };
    const [own, other] = [new Turns(core), new Turns(core)];
    const first = own.during("a", async () => {
      failing.from(1);
      return "first";
    });
    expect(await first).toBe("first");
    failing.end();

    let hasCome = false;
    const elsewhere = other.during("a", async () => (hasCome = true));
    expect(await own.during("a", async () => [hasCome, "second"])).toEqual([false, "second"]);
    expect(await elsewhere).toBe(true);
  });

  test("one that waits for half a minute is refused, and those behind it go on waiting", async () => {
    const { servers, freeze } = twoServers();
    const never = Promise.withResolvers<string>();
    const working = Promise.withResolvers<void>();
    const first = servers[0].during("a", () => {
      working.resolve();
      return never.promise;
    });
    await working.promise;
    const second = servers[0].during("a", async () => "second");
    freeze(HALF_A_MINUTE);
    await expect(second).rejects.toMatchObject({ name: "unavailable", status: 503 });
    let isThird = false;
    const third = servers[0].during("a", async () => (isThird = true));
    await Bun.sleep(20);
    expect(isThird).toBe(false);
    never.resolve("first");
    expect([await first, await third]).toEqual(["first", true]);
  });

  test("a work that fails lets the next one go on, at either server", async () => {
    const { servers } = twoServers();
    const failing = servers[0].during("a", () => Promise.reject(new Error("failed")));
    const next = servers.map((server) => server.during("a", async () => "done"));
    await expect(failing).rejects.toThrow("failed");
    expect(await Promise.all(next)).toEqual(["done", "done"]);
  });

  test("a server that was frozen while another took over is refused before it works", async () => {
    const { servers, store, freeze } = twoServers();
    const refused = servers[0].during("a", async (check) => {
      await check();
      freeze(DEAD_AFTER_MS);
      await store.write(() => run(TAKE_OVER));
      await check();
    });
    await expect(refused).rejects.toMatchObject({ name: "unavailable", status: 503 });
  });
});
