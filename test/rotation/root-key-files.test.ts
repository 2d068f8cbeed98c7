// The files of the root key: at every instant one of them contains the key that the database names.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { silentLog } from "../../src/base";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { type Hooks, pausedStore } from "../support/paused-store";
import { temporaryFolder } from "../support/temporary";

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

async function opened(parts: RuntimeParts = {}): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog, ...parts });
  runtimes.push(runtime);
  return runtime;
}

async function rotate(runtime: Runtime): Promise<string> {
  return (await runtime.rotation.rotateRoot(await runtime.identity.operator("default"))).id;
}

async function store(runtime: Runtime, value: string): Promise<void> {
  await runtime.secrets.upsert(await runtime.identity.operator("default"), "A", { value });
}

/** Whether a new start opens what was stored. */
async function expectOpens(value: string): Promise<void> {
  const runtime = await opened();
  expect(await runtime.secrets.value("default", "A")).toBe(value);
}

/** The key file and those of rotations, without the old keys that are kept on purpose (`old-root-keys.test.ts`). */
function filesOf(file: string): string[] {
  return readdirSync(dirname(file))
    .filter((name) => !name.endsWith(".old"))
    .toSorted();
}

/** Lets another process take the lease, as if the holder were dead. */
async function loseLease(runtime: Runtime): Promise<void> {
  await runtime.core.store.write(function* () {
    yield { method: "run", text: "UPDATE leases SET holder = NULL, fence = fence + 1", params: [] };
  });
}

describe("a rotation of the root key", () => {
  test("replaces the target of a symbolic link and keeps the link", async () => {
    const target = join(temporaryFolder(), "real.key");
    await (await opened()).close();
    runtimes.pop();
    renameSync(keyFile, target);
    symlinkSync(target, keyFile);
    const before = readFileSync(target, "utf8");
    const runtime = await opened();
    await store(runtime, "v");

    const id = await rotate(runtime);

    expect(lstatSync(keyFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).not.toBe(before);
    expect(filesOf(target)).toEqual(["real.key", `real.key.${id}`]);
    expect(readdirSync(dirname(keyFile))).toEqual(["root.key"]);
    await expectOpens("v");
    // The key stays readable if only the target remains.
    rmSync(keyFile);
    renameSync(target, keyFile);
    await expectOpens("v");
  });

  test("keeps the prepared file of the current key and deletes that of the replaced one", async () => {
    const runtime = await opened();
    await rotate(runtime);
    const id = await rotate(runtime);

    expect(filesOf(keyFile)).toEqual(["root.key", `root.key.${id}`]);
    expect(readFileSync(`${keyFile}.${id}`, "utf8")).toBe(readFileSync(keyFile, "utf8"));
    expect(lstatSync(keyFile).mode & 0o777).toBe(0o600);
    expect(lstatSync(`${keyFile}.${id}`).mode & 0o777).toBe(0o600);
  });

  // The steps of a rotation are separated by its writes: lease, check of the lease, commit, release.
  const steps: [string, "before" | "after", number][] = [
    ["before it takes the lease", "before", 1],
    ["after it has taken the lease", "after", 1],
    ["before it checks the lease", "before", 2],
    ["before it writes its key", "after", 2],
    ["before its commit", "before", 3],
    ["after its commit", "after", 3],
    ["before it releases the lease", "before", 4],
  ];
  test.each(steps)(
    "that is stopped %s loses nothing when another one completes meanwhile",
    async (_name, side, at) => {
      let hooks: Hooks | undefined;
      const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const slow = await opened({ openStore: pausedStore(() => hooks) });
      const fast = await opened();
      await store(slow, "v");
      hooks = {
        [side]: async (number: number) => {
          if (number !== at) return;
          stopped.resolve();
          await resumed.promise;
        },
      };
      const first = rotate(slow).catch((error: unknown) => error);
      await stopped.promise;
      await loseLease(fast);

      await rotate(fast);
      await expectOpens("v");
      resumed.resolve();
      await first;
      hooks = undefined;

      await expectOpens("v");
      for (const runtime of [slow, fast]) {
        await store(runtime, "w");
        expect(await runtime.secrets.value("default", "A")).toBe("w");
      }
      await expectOpens("w");
      expect(await rotate(await opened())).toBeString();
      await expectOpens("w");
    },
  );

  test("does not overwrite the prepared key of another one that commits meanwhile", async () => {
    let hooks: [Hooks | undefined, Hooks | undefined] = [undefined, undefined];
    const [leased, prepared] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [goOn, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const one = await opened({ openStore: pausedStore(() => hooks[0]) });
    const other = await opened({ openStore: pausedStore(() => hooks[1]) });
    await store(one, "v");
    const pause =
      (at: number, reached: () => void, until: Promise<void>) =>
      async (number: number): Promise<void> => {
        if (number !== at) return;
        reached();
        await until;
      };
    hooks = [
      { after: pause(2, leased.resolve, goOn.promise) },
      { before: pause(3, prepared.resolve, commit.promise) },
    ];
    const first = rotate(one).catch((error: unknown) => error);
    await leased.promise;
    await loseLease(await opened());
    const second = rotate(other);
    await prepared.promise;

    goOn.resolve();
    expect(await first).toHaveProperty("name", "conflict");
    commit.resolve();
    const id = await second;

    expect((await opened()).core.keyring.rootKeyId).toBe(id);
    await expectOpens("v");
    expect(filesOf(keyFile)).toEqual(["root.key", `root.key.${id}`]);
  });

  test("whose commit is stored although it reports an error is completed", async () => {
    let fails = false;
    const lost = await opened({
      openStore: pausedStore(() => ({
        after: async () => {
          if (!fails || readdirSync(dirname(keyFile)).length === 1) return;
          fails = false;
          throw new Error("the answer was lost");
        },
      })),
    });
    await store(lost, "v");
    fails = true;

    const id = await rotate(lost);

    expect(filesOf(keyFile)).toEqual(["root.key", `root.key.${id}`]);
    expect(readFileSync(keyFile, "utf8")).toBe(readFileSync(`${keyFile}.${id}`, "utf8"));
    await expectOpens("v");
  });
});

describe("a key file that another process has overwritten with an old key", () => {
  test("is found in the prepared file by a start and by a running process, and is restored", async () => {
    const running = await opened();
    await store(running, "v");
    const old = readFileSync(keyFile, "utf8");
    await rotate(await opened());
    const current = readFileSync(keyFile, "utf8");

    writeFileSync(keyFile, old);
    expect(await running.secrets.value("default", "A")).toBe("v");
    await store(running, "w");
    await expectOpens("w");

    expect(readFileSync(keyFile, "utf8")).toBe(current);
  });

  test.each(["missing", "empty", "a folder"])("or that is %s does not prevent a start", async (state) => {
    const runtime = await opened();
    await store(runtime, "v");
    await rotate(runtime);
    rmSync(keyFile);
    if (state === "empty") writeFileSync(keyFile, "");
    if (state === "a folder") mkdirSync(keyFile);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };

    const started = await opened({ log });

    expect(await started.secrets.value("default", "A")).toBe("v");
    expect(warnings).toEqual(
      state === "a folder" ? ["the current root key could not be written to the key file"] : [],
    );
  });
});
