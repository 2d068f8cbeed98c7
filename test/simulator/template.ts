// A data folder in which every simulation begins: two users are connected, and a plugin with webhooks is switched off. It is
// created once and copied, which is much faster than all migrations.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../support/config";
import { randomOf } from "../support/long";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { Browser } from "./browser";
import { Life } from "./life";
import { extensions, PROVIDER } from "./simulated-catalog";
import { SimulatedClock, START } from "./simulated-clock";
import { SimulatedProcess } from "./simulated-process";
import { USERS } from "./steps";
import { VirtualTime } from "./virtual-time";
import { World } from "./world";

const OPERATOR = { kind: "operator", projectId: "default" } as const;
/** Memory is faster than a disk, and nothing has to survive. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
let template: Promise<string> | undefined;

/** The folder of the root key, from a simulation's folder. The configured path is a symbolic link into it. */
export const KEYS = "keys";

/** A new folder for a simulation. */
export async function newFolder(): Promise<string> {
  const folder = mkdtempSync(join(PARENT, "runtime-simulator-"));
  cpSync(await (template ??= makeTemplate()), folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(PARENT, "runtime-simulator-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, KEYS));
  mkdirSync(join(folder, ".config", "runtime"), { recursive: true });
  symlinkSync(`../../${KEYS}/root.key`, join(folder, ".config", "runtime", "root.key"));
  const time = new VirtualTime();
  const world = new World(time, { refreshes: async () => {}, revokes: async () => {}, begins: () => {} });
  const random = randomOf(0);
  const life = new Life();
  // Shortly before the simulation, and no two things at once.
  let now = START - 2000;
  const runtime = await createRuntime(loadConfig({ environment: { HOME: folder } }), extensions, {
    log: silentLog,
    clock: { ...new SimulatedClock(time).of(life), now: () => (now += 1) },
    random: (bytes) => Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)),
    openStore: (options) => openSqlite({ ...options, durability: "normal" }),
    egress: { fetch: (...request) => world.send(nobody(folder, time), life, ...request) },
  });
  await fill(runtime, world);
  await runtime.close();
  return folder;
}

async function fill(runtime: Runtime, world: World): Promise<void> {
  await runtime.providers.create(OPERATOR, {
    id: PROVIDER,
    provider_id: PROVIDER,
    oauth2: { client_id: "client", client_secret: "secret" },
  });
  const endpoint = { phase: "before", failure_mode: "fail_closed" } as const;
  await runtime.plugins.create(OPERATOR, {
    name: "hooks",
    plugin_type: "webhook",
    webhook_config: {
      endpoints: {
        pre: { url: "https://hooks.invalid/pre", ...endpoint },
        post: { url: "https://hooks.invalid/post", ...endpoint },
      },
    },
  });
  for (const user of USERS) await new Browser(user, world.provider).consent(runtime, "a", false);
}

function nobody(folder: string, time: VirtualTime): SimulatedProcess {
  return new SimulatedProcess("template", 0, {
    folder,
    seed: 0,
    time,
    extensions,
    send: () => Promise.reject(new Error("not used")),
    received: () => undefined,
    wrote: () => undefined,
    active: () => undefined,
    settled: async () => undefined,
  });
}
