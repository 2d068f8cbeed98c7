// The audit entry of a rotation is stored with the new key: a process that ends in between leaves neither without the other.
import { expect, test } from "bun:test";
import type { Runtime } from "../../src/runtime";
import { query } from "../../src/store";
import { type Hooks, pausedStore } from "../support/paused-store";
import { deploy, type DeploymentOptions, operator } from "../tools/deployment";

const ENTRIES = query<{ target: string }>("SELECT target FROM audit WHERE action = ?");
const ACTIVE_KEY = query<{ id: string }>(
  "SELECT id FROM data_keys WHERE project_id = 'default' AND retired_at IS NULL",
);

/** Rotates in a process that ends after so many writes, and returns another one that starts then. */
async function rotatedUntil(
  writes: number,
  rotate: (runtime: Runtime) => Promise<unknown>,
): Promise<{ before: Runtime; after: Runtime } & AsyncDisposable> {
  let hooks: Hooks | undefined;
  const deployment = await deploy({ parts: { openStore: pausedStore(() => hooks) } });
  const before = deployment.runtime;
  await before.secrets.upsert(operator(), "A", { value: "v" });
  hooks = {
    after: (number) => (number < writes ? Promise.resolve() : Promise.reject(new Error("the process ends"))),
  };
  await rotate(before).catch(() => undefined);
  hooks = undefined;
  const after = await deployment.another();
  return { before, after, [Symbol.asyncDispose]: () => deployment[Symbol.asyncDispose]() };
}

test.each([
  [1, 0],
  [2, 0],
  [3, 1],
  [4, 1],
])(
  "after %i writes of a rotation of the root key there are %i new keys with an entry",
  async (writes, count) => {
    let old = "";
    await using rotated = await rotatedUntil(writes, (runtime) => {
      old = runtime.core.keyring.rootKeyId;
      return runtime.rotation.rotateRoot(operator());
    });
    const { store, keyring } = rotated.after.core;

    const entries = (await store.all(ENTRIES, "key.rotate_root")).map(({ target }) => target);

    expect(entries).toHaveLength(count);
    expect(entries).toEqual(keyring.rootKeyId === old ? [] : [keyring.rootKeyId]);
  },
);

test.each([1, 2])("a new data key has its entry after %i writes of the rotation", async (writes) => {
  await using rotated = await rotatedUntil(writes, (runtime) => runtime.rotation.rotateDataKey(operator()));
  const { store } = rotated.after.core;

  const entries = (await store.all(ENTRIES, "key.rotate_data")).map(({ target }) => target);

  expect(entries).toHaveLength(1);
  expect(entries).toEqual((await store.all(ACTIVE_KEY)).map(({ id }) => id));
});

const COMMANDS = {
  RUNTIME_ROOT_KEY_COMMAND: JSON.stringify(["echo", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]),
  RUNTIME_ROOT_KEY_NEXT_COMMAND: JSON.stringify(["echo", "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="]),
};
const ROOT_AND_KEYS = query<{ id: string; root_key_id: string }>(
  "SELECT id, root_key_id FROM data_keys ORDER BY id",
);

const refused = (): never => {
  throw new Error("the audit trail is full");
};

test.each<[string, DeploymentOptions, (runtime: Runtime) => Promise<unknown>]>([
  ["a root key in a file", {}, ({ core }) => core.keyring.rotateRoot({ entry: refused })],
  [
    "a root key of a command",
    { environment: COMMANDS },
    ({ core }) => core.keyring.rotateRoot({ entry: refused }),
  ],
  ["a data key", {}, ({ core }) => core.keyring.rotateDataKey("default", refused)],
])("%s stays if the entry of its rotation cannot be written", async (_what, options, rotate) => {
  await using deployment = await deploy(options);
  const { runtime } = deployment;
  await runtime.secrets.upsert(operator(), "A", { value: "v" });
  const { store, keyring } = runtime.core;
  const [root, keys] = [keyring.rootKeyId, await store.all(ROOT_AND_KEYS)];

  await expect(rotate(runtime)).rejects.toThrow("the audit trail is full");

  expect(keys.map(({ root_key_id }) => root_key_id)).toEqual(keys.map(() => root));
  expect(await store.all(ROOT_AND_KEYS)).toEqual(keys);
  const other = await deployment.another();
  expect(other.core.keyring.rootKeyId).toBe(root);
  expect(await other.secrets.value("default", "A")).toBe("v");
});

test.each<[string, DeploymentOptions]>([
  ["in a file", {}],
  ["of a command", { environment: COMMANDS }],
])("a rotation of a root key %s has one entry, which names the new key", async (_where, options) => {
  await using deployment = await deploy(options);
  const { rotation, core } = deployment.runtime;

  const { id } = await rotation.rotateRoot(operator());

  expect(await core.store.all(ENTRIES, "key.rotate_root")).toEqual([{ target: id }]);
});
