// A fail-over to a standby that lacks the last commits: what a server has cached under them is not current any more, although
// the generations become what they were.
import { expect } from "bun:test";
import { join } from "node:path";
import { CachedByGeneration, run, type Store, touch, type Transaction } from "../../../src/store";
import { testOnPostgres } from "../../support/postgres/programs";
import { startReplication } from "../../support/postgres/standby";
import { openOnPostgres } from "../../support/postgres-engine";
import { closedAfterTest, temporaryFolder } from "../../support/temporary";
import { FIND, insert, migrations, RENUMBER } from "../notes";

const LIMIT_MS = 60_000;

function* renumber(number: number): Transaction<void> {
  yield* run(RENUMBER, number, "a");
  yield* touch("keys");
}

async function untilStored(store: Store, body: () => Transaction<void>): Promise<void> {
  for (;;) {
    try {
      return await store.write(body);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "unavailable") throw error;
      await Bun.sleep(50);
    }
  }
}

testOnPostgres(
  "what was cached under commits that a fail-over has lost is read again",
  async () => {
    await using replication = await startReplication();
    const file = join(temporaryFolder(), "notes.db");
    const open = (): Store => closedAfterTest(openOnPostgres({ file, migrations }, replication.url()));
    const [idle, busy] = [open(), open()];
    const cache = new CachedByGeneration<string, number | undefined>(idle, "keys");
    const cached = async (): Promise<number | undefined> =>
      cache.get("a", async (id) => (await idle.get(FIND, id))?.number);
    await busy.write(() => insert("a", 1));
    await busy.write(() => renumber(2));
    // From here on, nothing reaches the standby.
    await replication.standby.psql("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()");
    await replication.primary.psql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
    while ((await replication.primary.psql("SELECT count(*) FROM pg_stat_replication")) !== "0")
      await Bun.sleep(20);
    await busy.write(() => renumber(3));
    expect(await cached()).toBe(3);

    await replication.failOver("kill");
    await untilStored(busy, () => renumber(4));

    // The idle one has seen nothing of it: to the standby, this is the second change, as the lost one was.
    expect(await busy.get(FIND, "a")).toMatchObject({ number: 4 });
    let seen: number | undefined;
    for (let attempt = 0; attempt < 100 && seen === undefined; attempt++)
      seen = await cached().catch(() => Bun.sleep(50).then(() => undefined));
    expect(seen).toBe(4);
  },
  LIMIT_MS,
);
