// The rotation of an API key: both keys work until the overlap is over.
import { describe, expect, test } from "bun:test";
import type { ApiKeyCreate } from "../../src/identity";
import { query } from "../../src/store";
import { refusal } from "../connections/executing";
import { deploy, type Deployment, operator } from "../tools/deployment";

const AUDITED = query<{ action: string; target: string }>(
  "SELECT action, target FROM audit WHERE action LIKE 'key.%' ORDER BY number",
);
const DAY_MS = 86_400_000;

async function created({ runtime }: Deployment, request: Partial<ApiKeyCreate> = {}) {
  const record = await runtime.identity.createKey(operator(), { name: "agent", ...request });
  return { ...record, key: record.key ?? "" };
}

async function rotated({ runtime }: Deployment, id: string, overlap_seconds?: number) {
  const request = overlap_seconds === undefined ? {} : { overlap_seconds };
  const record = await runtime.identity.apiKeys.rotate(operator(), id, request);
  return { ...record, key: record.key ?? "" };
}

describe("a rotated key", () => {
  test("has the same name, role and users, is another key, and both are listed", async () => {
    await using deployment = await deploy();
    const { runtime, logLines } = deployment;
    const old = await created(deployment, { role: "run", users: ["alice"] });
    const { former, key, ...record } = await rotated(deployment, old.id);

    expect(record).toMatchObject({ name: "agent", role: "run", users: ["alice"] });
    expect([record.id === old.id, key === old.key]).toEqual([false, false]);
    expect(former.id).toBe(old.id);
    expect((await runtime.identity.listKeys(operator())).items).toMatchObject([
      { id: old.id, replaced_by: record.id, expires_at: former.expires_at },
      { id: record.id },
    ]);
    expect(await runtime.identity.authenticate(key)).toMatchObject({ keyId: record.id, users: ["alice"] });
    expect(logLines.join("\n")).not.toContain(key.slice(record.prefix.length));
  });

  test.each([
    ["an hour without a choice", undefined, 3_600_000],
    ["the chosen time", 60, 60_000],
  ])("lets the old key work for %s, on every server", async (_name, overlap, ms) => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const other = await deployment.another();
    const old = await created(deployment);
    await other.identity.authenticate(old.key);
    const { key } = await rotated(deployment, old.id, overlap);
    clock.move(ms - 5000);
    for (const { identity } of [runtime, other])
      expect(await identity.authenticate(old.key)).toMatchObject({ keyId: old.id });
    clock.move(5000);

    for (const { identity } of [runtime, other]) {
      expect((await refusal(identity.authenticate(old.key))).message).toBe("The API key has expired.");
      expect(await identity.authenticate(key)).toMatchObject({ kind: "key" });
    }
  });

  test("with an overlap of 0 stops the old key at once, also in running calls", async () => {
    await using deployment = await deploy();
    const other = await deployment.another();
    const old = await created(deployment);
    const principal = await other.identity.authenticate(old.key);
    await rotated(deployment, old.id, 0);

    expect((await refusal(other.identity.authenticate(old.key))).status).toBe(401);
    expect((await refusal(other.identity.requireCurrent(principal))).message).toBe(
      "The API key has expired.",
    );
  });

  test("lives as long as the old one did, and never makes the old one live longer", async () => {
    await using deployment = await deploy();
    const { clock } = deployment;
    const expires_at = new Date(clock.now() + DAY_MS).toISOString();
    const old = await created(deployment, { expires_at });
    clock.move(DAY_MS - 60_000);
    const { former, expires_at: end = "" } = await rotated(deployment, old.id, 3600);

    expect(former.expires_at).toBe(old.expires_at ?? "");
    expect(Math.abs(Date.parse(end) - (clock.now() + DAY_MS))).toBeLessThan(5000);
  });

  test("can be rotated again while the one before still works; a replaced one cannot", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const first = await created(deployment);
    const second = await rotated(deployment, first.id);
    const third = await rotated(deployment, second.id);
    const error = await refusal(rotated(deployment, first.id));

    expect([error.status, error.message]).toEqual([
      409,
      `This API key was replaced by ${second.id} before. Rotate that one.`,
    ]);
    for (const { key } of [first, second, third])
      expect(await runtime.identity.authenticate(key)).toMatchObject({ kind: "key" });
  });

  test("is replaced once, also by two at the same time", async () => {
    await using deployment = await deploy();
    const { id } = await created(deployment);
    const results = await Promise.allSettled([rotated(deployment, id), rotated(deployment, id)]);

    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await deployment.runtime.identity.listKeys(operator())).items).toHaveLength(2);
  });

  test("removes what it had replaced before and has expired, with an audit entry", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const first = await created(deployment);
    const second = await rotated(deployment, first.id, 60);
    clock.move(61_000);
    const third = await rotated(deployment, second.id, 60);

    expect((await runtime.identity.listKeys(operator())).items.map(({ id }) => id)).toEqual([
      second.id,
      third.id,
    ]);
    expect(await runtime.core.store.all(AUDITED)).toEqual([
      { action: "key.create", target: first.id },
      { action: "key.rotate", target: first.id },
      { action: "key.rotate", target: second.id },
      { action: "key.delete", target: first.id },
    ]);
  });
});

test("an expired key, an unknown one and one of another project cannot be rotated", async () => {
  await using deployment = await deploy();
  const { runtime, clock } = deployment;
  await runtime.identity.createProject(operator(), "second", "second");
  const { id } = await created(deployment, { expires_at: new Date(clock.now() + 60_000).toISOString() });
  const foreign = runtime.identity.apiKeys.rotate(operator("second"), id);
  const unknown = rotated(deployment, "key_unknown");
  const [first, second] = [await refusal(foreign), await refusal(unknown)];
  clock.move(61_000);

  expect([first.status, second.status]).toEqual([404, 404]);
  expect((await refusal(rotated(deployment, id))).status).toBe(409);
});
