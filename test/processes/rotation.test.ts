// Rotation of the root key under load and under kills, with a thousand secrets.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { startChatSandbox } from "../sandbox/chat";
import { api } from "../support/api";
import { randomOf } from "../support/long";
import { Installation } from "../support/runtime-process";
import { NO_EXTENSIONS } from "../support/extensions";

const SECRETS = 1000;

async function opened(home: string): Promise<Runtime> {
  return createRuntime(loadConfig({ environment: { HOME: home } }), NO_EXTENSIONS, { log: silentLog });
}

async function fill(runtime: Runtime): Promise<void> {
  const operator = await runtime.identity.operator("default");
  const names = Array.from({ length: SECRETS }, (_, index) => `S${index}`);
  await Promise.all(
    names.map((name) => runtime.secrets.upsert(operator, name, { value: `value of ${name}` })),
  );
}

/** The number of secrets that cannot be read as they were written. */
async function unreadable(runtime: Runtime): Promise<number> {
  let count = 0;
  for (let index = 0; index < SECRETS; index++) {
    if ((await runtime.secrets.value("default", `S${index}`)) !== `value of S${index}`) count++;
  }
  return count;
}

test("no request fails during five rotations of a server under load [fault: wrong-root-key]", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  const before = await opened(installation.home);
  await fill(before);
  await before.close();
  const admin = await installation.key("admin");
  await using server = await installation.serve();
  let stop = false;
  const failed: number[] = [];
  let requests = 0;
  const load = Array.from({ length: 8 }, async (_, writer) => {
    while (!stop) {
      const write = await api(server.address, admin).post(`/v1/admin/secrets/LOAD_${writer}`, { value: "x" });
      const read = await api(server.address, admin).get("/v1/admin/auth_providers");
      failed.push(...[write.status, read.status].filter((status) => status !== 200));
      requests += 2;
    }
  });

  const ids = new Set<string>();
  for (let rotation = 0; rotation < 5; rotation++) {
    ids.add(String(Object(await installation.json(["keys", "rotate-root", "--yes"])).id));
  }
  const data = Object(await installation.json(["keys", "rotate-data"]));
  stop = true;
  await Promise.all(load);

  expect(ids.size).toBe(5);
  expect(data.resealed).toBeGreaterThanOrEqual(SECRETS);
  expect([failed, requests > 100]).toEqual([[], true]);
  const after = await opened(installation.home);
  expect(await unreadable(after)).toBe(0);
  await after.close();
}, 120_000);

test("everything is readable after each of twenty kills during a rotation", async () => {
  const home = mkdtempSync(join(tmpdir(), "runtime-rotating-"));
  const first = await opened(home);
  await fill(first);
  await first.close();
  const random = randomOf(11);
  let rotations = 0;
  for (let kill = 0; kill < 20; kill++) {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "..", "support", "rotating.ts")], {
      env: { HOME: home, PATH: process.env["PATH"] },
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = child.stdout.getReader();
    await reader.read();
    // Every second process completes one rotation before it is killed, on any machine.
    if (kill % 2 === 1) rotations += rotationsIn((await reader.read()).value);
    await Bun.sleep(random() * 40);
    child.kill("SIGKILL");
    await child.exited;
    for (let read = await reader.read(); !read.done; read = await reader.read())
      rotations += rotationsIn(read.value);
    const runtime = await opened(home);
    expect(await unreadable(runtime)).toBe(0);
    // The next process need not wait for the lease of the killed one to expire.
    await runtime.core.store.write(function* () {
      yield { method: "run", text: "UPDATE leases SET holder = NULL", params: [] };
    });
    await runtime.close();
  }
  rmSync(home, { recursive: true, force: true });
  expect(rotations).toBeGreaterThanOrEqual(10);
}, 120_000);

function rotationsIn(output: Uint8Array | undefined): number {
  return new TextDecoder().decode(output).split("rotated").length - 1;
}
