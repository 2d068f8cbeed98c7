// A command whose output nobody reads must not keep a read transaction: the write-ahead log could not shrink.
import { expect, onTestFinished, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";

const PRINTING = join(import.meta.dir, "..", "support", "printing.ts");

test("output into an unread pipe does not make the write-ahead log grow", async () => {
  const home = temporaryFolder();
  const runtime = await createRuntime(loadConfig({ environment: { HOME: home } }), NO_EXTENSIONS, {
    log: silentLog,
  });
  onTestFinished(() => runtime.close());
  const operator = await runtime.identity.operator("default");
  const names = Array.from({ length: 50 }, (_, index) => `SECRET_${index}`);
  const script = `"$0" "$1" | { head -c 1 >&2; exec sleep 60; }`;
  const child = Bun.spawn(["sh", "-c", script, process.execPath, PRINTING], {
    env: { HOME: home, PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    detached: true,
  });
  onTestFinished(() => void process.kill(-child.pid, "SIGKILL"));
  // The first byte shows that the command has begun to print; the rest does not fit into the pipe.
  await child.stderr.getReader().read();

  const wal = join(home, ".local/share/runtime/runtime.db-wal");
  for (let round = 0; round < 60; round++) {
    const value = "x".repeat(4000);
    await Promise.all(names.map((name) => runtime.secrets.upsert(operator, name, { value })));
  }

  expect(child.exitCode).toBeNull();
  expect(statSync(wal).size).toBeLessThan(9_000_000);
}, 60_000);
