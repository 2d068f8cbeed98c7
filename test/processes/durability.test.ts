// Acknowledged writes are on the disk: a tracer of system calls shows it.
import { afterEach, beforeEach, describe, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testWith } from "../support/require";
import { startSecretsServer, upsert } from "../support/secrets-peer";

const REQUESTS = 200;
const hasStrace = Bun.which("strace") !== null;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runtime-sync-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The number of acknowledgements with a sync of the database or its log since the previous one. */
async function syncedAnswers(args: readonly string[]): Promise<number> {
  const trace = join(folder, "trace");
  const calls = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";
  const server = await startSecretsServer(
    folder,
    ["strace", "-f", "-y", "-s", "16", "-e", calls, "-o", trace],
    args,
  );
  // An uncounted write first, because the start itself also syncs.
  await upsert(server, "TRACED", "first");
  for (let index = 0; index < REQUESTS; index++) {
    expect(await upsert(server, "TRACED", `value ${index}`)).toBe(true);
  }
  await server.kill();
  let synced = false;
  let count = 0;
  const lines = readFileSync(trace, "utf8").split("\n");
  for (const line of lines.slice(lines.findIndex((text) => text.includes("HTTP/1.1 200")) + 1)) {
    if (/f(?:data)?sync\(\d+<[^>]*runtime\.db(?:-wal)?>/.test(line)) synced = true;
    if (!line.includes("HTTP/1.1 200")) continue;
    if (synced) count++;
    synced = false;
  }
  return count;
}

describe("a sync of database or log precedes", () => {
  testWith("strace", hasStrace)(
    "every one of 200 acknowledged writes",
    async () => {
      expect(await syncedAnswers([])).toBe(REQUESTS);
    },
    60_000,
  );

  testWith("strace", hasStrace)(
    "none of them when SQLite does not sync, as a control",
    async () => {
      expect(await syncedAnswers(["careless"])).toBe(0);
    },
    60_000,
  );
});
