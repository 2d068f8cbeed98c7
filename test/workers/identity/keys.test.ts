// The keys that sign who calls: made once, published before they sign and after, sealed, and replaced when they have leaked.
import { describe, expect, test } from "bun:test";
import type { Runtime } from "../../../src/runtime";
import { query, run } from "../../../src/store";
import { call } from "../../support/api";
import { startSite } from "../../support/site";
import { deploy, operator } from "../../tools/deployment";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const signing = async ({ workers }: Runtime, project = "default"): Promise<string> =>
  (await workers.identityKeys.signing(project)).id;
const published = async ({ workers }: Runtime): Promise<string[]> =>
  (await workers.identityKeys.published()).keys.map((key) => String(Object(key).kid));

describe("a key", () => {
  test("is made once, however many processes need it first at the same time", async () => {
    await using deployment = await deploy();
    const all = [deployment.runtime, await deployment.another(), await deployment.another()];

    const ids = await Promise.all([...all, ...all].map((runtime) => signing(runtime)));

    expect(new Set(ids).size).toBe(1);
    expect(await published(deployment.runtime)).toEqual([...new Set(ids)]);
  });

  test("belongs to its project, and goes with it", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "other", "Other");
    const [own, other] = [await signing(runtime), await signing(runtime, "other")];
    expect([own === other, (await published(runtime)).length]).toEqual([false, 2]);

    await runtime.identity.deleteProject(operator(), "other");
    expect(await published(runtime)).toEqual([own]);
    await runtime.identity.createProject(operator(), "other", "Other again");
    expect(await signing(runtime, "other")).not.toBe(other);
  });

  test("signs for 30 days, after which the next one is published for a day before it signs", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const another = await deployment.another();
    const first = await signing(runtime);
    clock.move(30 * DAY_MS - HOUR_MS);
    expect([await signing(runtime), await published(runtime)]).toEqual([first, [first]]);

    clock.move(2 * HOUR_MS);
    expect([await signing(runtime), await signing(another)]).toEqual([first, first]);
    const [, next = ""] = await published(runtime);
    expect(next).not.toBe("");
    clock.move(DAY_MS - HOUR_MS);
    expect([await signing(another), await published(another)]).toEqual([first, [first, next]]);

    clock.move(2 * HOUR_MS);
    expect([await signing(another), await signing(runtime)]).toEqual([next, next]);
    expect(await published(runtime)).toEqual([first, next]);
  });

  test("is published until its last token has expired, and loses its private part at once", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const first = await signing(runtime);
    for (const days of [31, 2]) {
      clock.move(days * DAY_MS);
      await signing(runtime);
    }
    const SEALED = query<{ sealed_private_key: string | null }>(
      "SELECT sealed_private_key FROM identity_keys WHERE id = ?",
    );
    expect(await runtime.core.store.get(SEALED, first)).toEqual({ sealed_private_key: null });

    clock.move(HOUR_MS / 2);
    expect(await published(runtime)).toContain(first);
    clock.move(HOUR_MS);
    expect(await published(runtime)).not.toContain(first);
  });

  test("goes on signing if the next one cannot be stored", async () => {
    await using deployment = await deploy();
    const { runtime, clock, logLines } = deployment;
    const first = await signing(runtime);
    // Both engines refuse new rows, and keep the old one.
    const REFUSE = query("CREATE UNIQUE INDEX refuse ON identity_keys ((1))");
    await runtime.core.store.write(() => run(REFUSE));
    clock.move(40 * DAY_MS);

    expect([await signing(runtime), await signing(runtime)]).toEqual([first, first]);
    expect(logLines.filter((line) => line.includes("could not be replaced"))).toHaveLength(1);
  });

  test("that cannot be decrypted is replaced, and the log says so", async () => {
    await using deployment = await deploy();
    const { runtime, logLines } = deployment;
    const first = await signing(runtime);
    const BREAK = query("UPDATE identity_keys SET sealed_private_key = sealed_private_key || 'x'");
    await runtime.core.store.write(() => run(BREAK));
    const another = await deployment.another();

    const second = await signing(another);

    expect(second).not.toBe(first);
    expect(await published(another)).toEqual([second]);
    expect(logLines.join("\n")).toContain("cannot be decrypted");
  });

  test("is the same after a rotation of the data key and of the root key", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const first = await signing(runtime);
    await runtime.rotation.rotateDataKey(operator());
    await runtime.core.keyring.rotateRoot();
    const another = await deployment.another();

    expect([await signing(runtime), await signing(another)]).toEqual([first, first]);
    const SEALED = query<{ sealed: string }>("SELECT sealed_private_key AS sealed FROM identity_keys");
    const KEY = query<{ id: string }>(
      "SELECT id FROM data_keys WHERE retired_at IS NULL AND project_id = 'default'",
    );
    const [row, key] = [await runtime.core.store.get(SEALED), await runtime.core.store.get(KEY)];
    expect(row?.sealed.split(".")[1]).toBe(key?.id);
  });
});

describe("a clock", () => {
  test.each([100, -100, 400, -400, 0.02, -0.02])("that jumps by %p days takes no key away", async (days) => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const first = await signing(runtime);
    clock.jump(days * DAY_MS);
    expect([await signing(runtime), (await published(runtime))[0]]).toEqual([first, first]);
    clock.jump(-days * DAY_MS);
    expect([await signing(runtime), (await published(runtime))[0]]).toEqual([first, first]);
  });

  test("that was a year ahead delays no replacement for longer than an age", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    clock.jump(365 * DAY_MS);
    const first = await signing(runtime);
    clock.jump(-365 * DAY_MS);
    await signing(runtime);
    for (const days of [31, 2]) {
      clock.move(days * DAY_MS);
      await signing(runtime);
    }

    expect(await signing(runtime)).not.toBe(first);
  });
});

describe("a rotation at once", () => {
  test("takes all keys of the project out of the list, and no others; the audit trail has it", async () => {
    await using site = await startSite();
    const { runtime } = site;
    await runtime.identity.createProject(operator(), "other", "Other");
    const [first, other] = [await signing(runtime), await signing(runtime, "other")];

    const rotate = { method: "POST", path: "/v1/identity_keys/rotate" };
    const { body, status } = await call(site.url, { ...rotate, key: await site.key("admin") });

    const now = await signing(runtime);
    expect([status, body]).toEqual([200, { key_id: now, replaced: [first] }]);
    expect((await published(runtime)).toSorted()).toEqual([now, other].toSorted());
    const { items } = await runtime.trail.audit(operator(), {});
    expect(items[0]).toMatchObject({ action: "identity_key.rotate", target: now });
    expect((await call(site.url, { ...rotate, key: await site.key("run") })).status).toBe(403);
  });
});

describe("GET /.well-known/jwks.json", () => {
  test("lists public parts only, and may be kept for as long as a key is published before it signs", async () => {
    await using site = await startSite();
    await signing(site.runtime);
    const response = await fetch(`${site.url}/.well-known/jwks.json`);

    expect(response.headers.get("content-type")).toBe("application/jwk-set+json");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    const { keys } = (await response.json()) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([
      ["alg", "crv", "kid", "kty", "use", "x", "y"],
    ]);
    expect(keys[0]).toMatchObject({ alg: "ES256", crv: "P-256", kty: "EC", use: "sig" });
    const headers = { "if-none-match": response.headers.get("etag") ?? "" };
    const again = await fetch(`${site.url}/.well-known/jwks.json`, { headers });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    await site.runtime.workers.identityKeys.rotate(operator());
    expect((await fetch(`${site.url}/.well-known/jwks.json`, { headers })).status).toBe(200);
  });

  test("is an empty list before a worker needs a key", async () => {
    await using site = await startSite();
    expect(await (await fetch(`${site.url}/.well-known/jwks.json`)).json()).toEqual({ keys: [] });
  });
});
