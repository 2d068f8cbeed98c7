// The root key's files with real processes: mounted files and folders, and processes that are stopped or killed.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { MAIN, runProcess } from "../cli/support/processes";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";

const CAN_MOUNT = Bun.spawnSync(["unshare", "-m", "sh", "-c", "mount --bind /tmp /tmp"]).exitCode === 0;
const testMounted = testIfAllowed("mounting (unshare -m)", CAN_MOUNT);

let home: string;
let keyFile: string;
const runtimes: Runtime[] = [];

beforeEach(() => {
  home = temporaryFolder();
  keyFile = join(home, ".config", "runtime", "root.key");
});

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});

async function opened(): Promise<Runtime> {
  const runtime = await createRuntime(loadConfig({ environment: { HOME: home } }), NO_EXTENSIONS, {
    log: silentLog,
  });
  runtimes.push(runtime);
  return runtime;
}

async function store(value: string): Promise<void> {
  const runtime = await opened();
  await runtime.secrets.upsert(await runtime.identity.operator("default"), "A", { value });
}

async function stored(): Promise<string | undefined> {
  return (await opened()).secrets.value("default", "A");
}

/** Runs a command line in a mount namespace of its own, after `mounts`. */
async function runMounted(
  mounts: string,
  argv: readonly string[],
): Promise<{ code: number; stderr: string }> {
  const script = `set -e; ${mounts}; exec "$0" "$@"`;
  const child = Bun.spawn(["unshare", "-m", "sh", "-c", script, process.execPath, MAIN, ...argv], {
    env: { HOME: home, PATH: process.env["PATH"] ?? "", KEY: keyFile, FOLDER: dirname(keyFile) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const stderr = await child.stderr.text();
  return { code: await child.exited, stderr };
}

describe("a rotation is refused before anything changes", () => {
  const mounts: [string, string, RegExp][] = [
    ["a single mounted file", 'mount --bind "$KEY" "$KEY"', /mount the folder/],
    [
      "in a folder that is mounted read-only",
      'mount --bind "$FOLDER" "$FOLDER"; mount -o remount,ro,bind "$FOLDER"',
      /writable/,
    ],
  ];
  testMounted.each(mounts)("for a key that is %s", async (_name, mount, advice) => {
    await store("v");
    const before = readFileSync(keyFile, "utf8");

    const ended = await runMounted(mount, ["keys", "rotate-root", "--yes"]);

    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(advice)]);
    expect(ended.stderr).toContain(keyFile);
    expect(ended.stderr).toContain("Nothing was changed.");
    expect(readFileSync(keyFile, "utf8")).toBe(before);
    expect(readdirSync(dirname(keyFile))).toEqual(["root.key"]);
    expect(await stored()).toBe("v");
    expect((await runMounted(mount, ["secrets", "list"])).code).toBe(0);
  });

  testMounted("and works in a mounted folder that is writable", async () => {
    await store("v");

    const ended = await runMounted('mount --bind "$FOLDER" "$FOLDER"', ["keys", "rotate-root", "--yes"]);

    expect(ended.code).toBe(0);
    expect(readdirSync(dirname(keyFile)).length).toBe(3);
    expect(await stored()).toBe("v");
  });
});

testMounted("a start works if the key file cannot be restored", async () => {
  await store("v");
  const old = readFileSync(keyFile, "utf8");
  expect((await runProcess(["keys", "rotate-root", "--yes"], { env: { HOME: home } })).code).toBe(0);
  await Bun.write(keyFile, old);

  const listed = await runMounted('mount --bind "$KEY" "$KEY"', ["secrets", "list"]);

  expect([listed.code, listed.stderr]).toEqual([
    0,
    expect.stringContaining("could not be written to the key file"),
  ]);
  expect(readFileSync(keyFile, "utf8")).toBe(old);
  expect(await stored()).toBe("v");
});

const SCRIPT = join(import.meta.dir, "..", "support", "stopping-rotation.ts");
const steps: ["before" | "after", number][] = [
  ["after", 1],
  ["after", 2],
  ["before", 3],
  ["after", 3],
  ["before", 4],
];

function start(signal: string, side: string, at: number) {
  const child = Bun.spawn([process.execPath, SCRIPT, signal, side, String(at)], {
    env: { HOME: home, PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  return child;
}

test.each(steps)("a rotation that is killed %s its write %i loses nothing", async (side, at) => {
  await store("v");
  const child = start("SIGKILL", side, at);
  await child.exited;

  expect(await stored()).toBe("v");
  await store("w");
  expect(await stored()).toBe("w");
});

test.each(steps)("a rotation that is killed %s its write %i has an entry if it counts", async (side, at) => {
  const before = (await opened()).core.keyring.rootKeyId;
  const child = start("SIGKILL", side, at);
  await child.exited;

  const { trail, identity, core } = await opened();
  const operator = await identity.operator("default");
  const { items } = await trail.deploymentAudit(operator, { action: "key.rotate_root" });

  const { rootKeyId } = core.keyring;
  expect(items.map(({ target }) => target)).toEqual(rootKeyId === before ? [] : [rootKeyId]);
});

test.each(steps)(
  "a rotation that is frozen %s its write %i while another completes loses nothing",
  async (side, at) => {
    await store("v");
    const child = start("SIGSTOP", side, at);
    const reader = child.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toStartWith("stopping");
    await untilStopped(child.pid);
    const other = await opened();
    await other.core.store.write(function* () {
      yield { method: "run", text: "UPDATE leases SET holder = NULL, fence = fence + 1", params: [] };
    });

    const { id } = await other.rotation.rotateRoot(await other.identity.operator("default"));
    expect(await stored()).toBe("v");
    child.kill("SIGCONT");
    await child.exited;

    const after = await opened();
    expect(after.core.keyring.rootKeyId).toBe(id);
    expect(await stored()).toBe("v");
    expect(readFileSync(keyFile, "utf8")).toBe(readFileSync(`${keyFile}.${id}`, "utf8"));
  },
);

async function untilStopped(pid: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return;
    await Bun.sleep(10);
  }
  throw new Error("the process was not stopped");
}
