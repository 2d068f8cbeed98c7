// The lease of a rotation of the root key: one that was killed is waited for, one that is in progress is not disturbed.
import { expect, test } from "bun:test";
import { silentLog, systemClock } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { extendLease, type Lease, takeLease } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";

/** A runtime whose time passes eight times as fast, and the lease of another process. */
async function rotating(): Promise<{ runtime: Runtime; lease: Lease }> {
  const clock = { ...systemClock, monotonic: () => performance.now() * 8 };
  const config = loadConfig({ environment: { HOME: temporaryFolder() } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog, clock });
  const tomorrow = Date.now() + 24 * 3_600_000;
  const lease = await runtime.core.store.write(() =>
    takeLease("rotation of the root key", "another", tomorrow),
  );
  if (lease === undefined) throw new Error("the lease is not free");
  return { runtime, lease };
}

async function rotate(runtime: Runtime): Promise<string> {
  return (await runtime.rotation.rotateRoot(await runtime.identity.operator("default"))).id;
}

test("a rotation waits for one that was killed, whatever its clock said, and then goes on", async () => {
  const { runtime } = await rotating();
  const before = runtime.core.keyring.rootKeyId;

  expect(await rotate(runtime)).not.toBe(before);
  await runtime.close();
});

test("a rotation is refused while the heart of another one beats", async () => {
  const { runtime, lease } = await rotating();
  const before = runtime.core.keyring.rootKeyId;
  let now = Date.now();
  const heart = setInterval(() => {
    now += 5000;
    void runtime.core.store.write(() => extendLease(lease, now));
  }, 200);

  await expect(rotate(runtime)).rejects.toMatchObject({ name: "conflict" });
  clearInterval(heart);
  expect(runtime.core.keyring.rootKeyId).toBe(before);
  await runtime.close();
});
