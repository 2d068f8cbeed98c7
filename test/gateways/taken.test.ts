// A slug that two concurrent transactions found free: the unique index decides.
import { expect, test } from "bun:test";
import { Audit } from "../../src/audit";
import { Gateways } from "../../src/gateways";
import { type Store, UniqueViolation } from "../../src/store";
import { deploy, operator } from "../tools/deployment";

test("is a conflict on creation, and an invalid parameter on change", async () => {
  await using deployment = await deploy();
  const { core, gateways } = deployment.runtime;
  const made = await gateways.create(operator(), { name: "Made", auth_type: "arcade_header" });
  const store: Store = Object.create(core.store, {
    write: { value: () => Promise.reject(new UniqueViolation(new Error("UNIQUE"))) },
  });
  const raced = new Gateways({ ...core, store }, new Audit(core), async () => []);
  const statusOf = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: unknown) => Object(error).status,
    );

  const request = { name: "Second", slug: "second", auth_type: "arcade_header" as const };
  expect(await statusOf(raced.create(operator(), request))).toBe(409);
  expect(await statusOf(raced.patch(operator(), made.id, { slug: "second" }))).toBe(400);
});
