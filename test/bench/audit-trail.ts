// Verifies an audit trail as `runtime audit verify` does, in a process of its own, so that its memory can be measured.
// `bun audit-trail.ts make FILE ROWS` makes one; `bun audit-trail.ts verify FILE` prints milliseconds and megabytes.
import { dirname, join } from "node:path";
import { Audit, SigningKey } from "../../src/audit";
import { verifyChains } from "../../src/audit/verify";
import { systemClock } from "../../src/base";
import { systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, query, run } from "../../src/store";

const BATCH = 10_000;
const [mode = "", file = "", rows = "0"] = process.argv.slice(2);
const store = openSqlite({ file, migrations: mainMigrations, durability: "normal" });

if (mode === "make") await make(Number(rows));
else await verify();
await store.close();

async function make(count: number): Promise<void> {
  await store.write(function* () {
    yield* run(query("INSERT INTO organizations VALUES ('default', 'Default', 1000)"));
    yield* run(query("INSERT INTO projects VALUES ('default', 'default', 'Project', NULL, 1000, '', NULL)"));
  });
  const audit = new Audit({ clock: systemClock, random: systemRandom });
  const actor = {
    kind: "key",
    keyId: "key_0123456789abcdef",
    projectId: "default",
    address: "192.0.2.7",
  } as const;
  for (let from = 0; from < count; from += BATCH)
    await store.write(function* () {
      for (let number = from; number < Math.min(from + BATCH, count); number++)
        yield* audit.record(actor, "secret.upsert", `KEY_${number}`, { details: { secrets: ["value"] } });
    });
  console.log(count);
}

async function verify(): Promise<void> {
  const key = new SigningKey({
    file: () => join(dirname(file), "audit.key"),
    seed: () => new Uint8Array(32),
  });
  Bun.gc(true);
  const idle = process.memoryUsage().rss;
  const begun = performance.now();
  const { chains, problem_count } = await verifyChains(store, key);
  const ms = performance.now() - begun;
  if (problem_count > 0) throw new Error("the audit trail has problems");
  const grown = process.memoryUsage().rss - idle;
  console.log(JSON.stringify({ rows: chains[0]?.rows, ms, megabytes: grown / 1_000_000 }));
}
