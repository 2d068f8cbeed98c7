// Conditional changes: one that others were faster than is not made, one that has begun goes on.
import { expect, test } from "bun:test";
import { Audit, Basis, Outdated } from "../../src/audit";
import { chainRows } from "../../src/audit/repository";
import type { Transaction } from "../../src/store";
import { deploy, operator } from "../tools/deployment";

async function stage() {
  const deployment = await deploy();
  const { store, clock, random } = deployment.runtime.core;
  const audit = new Audit({ clock, random });
  const enter = (basis: Basis | undefined, target: string): Promise<void> =>
    store.write(() => audit.record({ ...operator(), basis }, "secret.upsert", target));
  return {
    deployment,
    enter,
    basis: await Basis.of(store, ["default"]),
    /** As a change that fails after its entry. */
    fail: (basis: Basis) =>
      store.write(function* (): Transaction<void> {
        yield* audit.record({ ...operator(), basis }, "secret.upsert", "failed");
        throw new Error("not committed");
      }),
    targets: async () => (await chainRows(store, "default", "", 100)).map(({ target }) => target),
  };
}

test("a change after another one is refused", async () => {
  const made = await stage();
  await using _deployment = made.deployment;
  await made.enter(undefined, "other");

  await expect(made.enter(made.basis, "conditional")).rejects.toBeInstanceOf(Outdated);
  expect(await made.targets()).toEqual(["other"]);
});

test("one in several transactions goes on after its first, whatever others change", async () => {
  const made = await stage();
  await using _deployment = made.deployment;
  await made.enter(made.basis, "first");
  await made.enter(undefined, "other");
  await made.enter(made.basis, "second");
  await made.enter(made.basis, "third");

  expect(await made.targets()).toEqual(["first", "other", "second", "third"]);
});

test("an entry that was not committed is not a first one", async () => {
  const made = await stage();
  await using _deployment = made.deployment;
  await expect(made.fail(made.basis)).rejects.toThrow("not committed");
  await made.enter(undefined, "other");

  await expect(made.enter(made.basis, "conditional")).rejects.toBeInstanceOf(Outdated);
  expect(await made.targets()).toEqual(["other"]);
});

test("one whose transaction is repeated is made", async () => {
  const made = await stage();
  await using _deployment = made.deployment;
  await expect(made.fail(made.basis)).rejects.toThrow("not committed");
  await made.enter(made.basis, "again");

  expect(await made.targets()).toEqual(["again"]);
});
