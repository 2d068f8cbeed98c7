// Servers that are killed while they write: acknowledged writes are kept, and the file stays intact.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime } from "../../src/runtime";
import { randomOf, scaled } from "../support/long";
import { startSecretsServer, upsert } from "../support/secrets-peer";
import { NO_EXTENSIONS } from "../support/extensions";

const KILLS = scaled(50);
const WRITES_A_KILL = 110;
const WRITERS = 8;

test(`${KILLS} kills`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "runtime-kill-"));
  const random = randomOf(7);
  const acknowledged = new Map<string, string>();
  let inFlight = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await startSecretsServer(folder);
    const stopAfter = acknowledged.size + WRITES_A_KILL + Math.floor(random() * 20);
    let next = 0;
    let pending = 0;
    let killed = false;
    const writer = async (): Promise<void> => {
      while (!killed) {
        const name = `K${kill}_${next++}`;
        const value = `value of ${name}`;
        pending++;
        const done = await upsert(server, name, value).catch(() => false);
        pending--;
        if (done) acknowledged.set(name, value);
        if (!killed && acknowledged.size >= stopAfter) {
          killed = true;
          if (pending > 0) inFlight++;
          await server.kill();
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
  }

  const environment = { HOME: folder };
  const runtime = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, { log: silentLog });
  let lost = 0;
  for (const [name, value] of acknowledged) {
    if ((await runtime.secrets.value("default", name)) !== value) lost++;
  }
  await runtime.close();
  using database = new Database(join(folder, ".local", "share", "runtime", "runtime.db"), { readonly: true });
  const integrity = database.query("PRAGMA integrity_check").get();
  process.stdout.write(
    `${KILLS} kills, ${inFlight} with a write in flight, ${acknowledged.size} acknowledged writes, ${lost} lost\n`,
  );
  rmSync(folder, { recursive: true, force: true });

  expect(lost).toBe(0);
  expect(integrity).toEqual({ integrity_check: "ok" });
  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * 100);
  expect(inFlight).toBeGreaterThanOrEqual(Math.floor(KILLS * 0.8));
}, 600_000);
