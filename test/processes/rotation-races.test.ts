// One process rotates the root key continuously. Others read, write and start: each reads the database and then the
// key file, and a rotation may happen in between.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { NO_EXTENSIONS } from "../support/extensions";

const ROTATIONS = 150;

const opened = (home: string): Promise<Runtime> =>
  createRuntime(loadConfig({ environment: { HOME: home } }), NO_EXTENSIONS, { log: silentLog });

test("a rotation does not fail processes that work or start at the same time", async () => {
  const home = mkdtempSync(join(tmpdir(), "runtime-rotating-"));
  const serving = await opened(home);
  const operator = await serving.identity.operator("default");
  await serving.secrets.upsert(operator, "A", { value: "v" });
  const rotating = Bun.spawn([process.execPath, join(import.meta.dir, "..", "support", "rotating.ts")], {
    env: { HOME: home, PATH: process.env["PATH"] },
    stdout: "pipe",
    stderr: "pipe",
  });
  let rotations = 0;
  const counted = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of rotating.stdout) rotations += decoder.decode(bytes).split("rotated").length - 1;
  })();
  const faults: string[] = [];
  const until = async (work: () => Promise<unknown>): Promise<void> => {
    while (rotations < ROTATIONS && rotating.exitCode === null) {
      await work().catch((error: unknown) => faults.push(String(error)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([
    until(() => serving.secrets.upsert(operator, "B", { value: "w" })),
    until(async () => expect(await serving.secrets.value("default", "A")).toBe("v")),
    until(async () => {
      const started = await opened(home);
      const read = started.secrets.value("default", "A");
      await read.finally(() => started.close());
    }),
  ]);
  const ended = rotating.exitCode;
  rotating.kill("SIGKILL");
  await counted;
  await serving.close();
  rmSync(home, { recursive: true, force: true });

  expect([faults, ended, await rotating.stderr.text()]).toEqual([[], null, ""]);
  expect(rotations).toBeGreaterThanOrEqual(ROTATIONS);
}, 120_000);
