// Our address binds a consent to the browser that opens it.
import { describe, expect, test } from "bun:test";
import { connectionOf } from "../connections/executing";
import { consenting, HOUR, MINUTE, start, status } from "./consenting";
import { testOnSqlite } from "../support/on-sqlite";
import { type AtProvider, Person, tokenOf } from "./person";

describe("our address", () => {
  test("sets a cookie of 256 bits and redirects to the provider", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const alice = new Person(runtime);
    const { location } = await alice.toProvider(await start(runtime));

    expect(alice.cookie).toMatch(/^[\w-]{43}$/);
    expect(location.origin).toBe(deployment.idp.url);
  });

  test("uses the same cookie for all consents of a browser", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const alice = new Person(runtime);
    await alice.toProvider(await start(runtime));
    const before = alice.cookie;
    await alice.toProvider(await start(runtime, { nextUri: "https://app.example" }));

    expect(alice.cookie).toBe(before ?? "");
  });

  test("redirects to the same valid address when the same browser opens it again", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const alice = new Person(runtime);
    const authorization = await start(runtime);
    const first = await alice.toProvider(authorization);
    const second = await alice.toProvider(authorization);

    expect(second.location.href).toBe(first.location.href);
    expect(await alice.comeBack(first, { code: "C" })).toMatchObject({ kind: "confirm" });
  });

  test("redirects to one address when a browser opens it ten times at once", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const other = await deployment.another();
    const authorization = await start(runtime);
    const cookie = "c".repeat(43);
    const open = async (index: number): Promise<AtProvider> => {
      const browser = new Person(index % 2 === 0 ? runtime : other);
      browser.cookie = cookie;
      return browser.toProvider(authorization);
    };
    const places = await Promise.all(Array.from({ length: 10 }, (_, index) => open(index)));

    expect(new Set(places.map(({ location }) => location.href)).size).toBe(1);
  });

  test("works only in the second browser after it was opened in two", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const [first, second] = [new Person(runtime), new Person(runtime)];
    const authorization = await start(runtime);
    const before = await first.toProvider(authorization);
    const after = await second.toProvider(authorization);

    expect(after.state).not.toBe(before.state);
    expect(await first.comeBack(before, { code: "C" })).toMatchObject({ kind: "refused", status: 400 });
    expect(await second.comeBack(after, { code: "C" })).toMatchObject({ kind: "confirm" });
  });

  test("is not found if it was never issued", async () => {
    await using deployment = await consenting();
    const browser = new Person(deployment.runtime);

    for (const address of ["http://x/authorize/unknown", "http://x/authorize/"]) {
      expect(await browser.open(address)).toMatchObject({ kind: "refused", status: 404 });
    }
  });

  testOnSqlite("is stored only as a hash and in sealed form", async () => {
    await using deployment = await consenting();
    const { runtime, folder } = deployment;
    const authorization = await start(runtime);
    const alice = new Person(runtime);
    const { state } = await alice.toProvider(authorization);

    const files = ["runtime.db", "runtime.db-wal"].map((file) => `${folder}/.local/share/runtime/${file}`);
    const stored = (await Promise.all(files.map((file) => Bun.file(file).text()))).join("");
    expect(stored.includes(authorization.id)).toBe(true);
    for (const secret of [tokenOf(authorization.url ?? ""), state, alice.cookie ?? ""]) {
      expect(stored.includes(secret)).toBe(false);
    }
  });
});

describe("a callback", () => {
  test.each([
    ["without a cookie", undefined],
    ["with another browser's cookie", "d".repeat(43)],
  ])("%s is refused, and the right browser can continue", async (_name, cookie) => {
    await using deployment = await consenting();
    const { runtime, idp } = deployment;
    const alice = new Person(runtime);
    const at = await alice.toProvider(await start(runtime));
    const mallory = new Person(runtime);
    mallory.cookie = cookie;

    expect(await mallory.comeBack(at, { code: "C" })).toMatchObject({ kind: "refused", status: 400 });
    expect(await mallory.comeBack(at, { error: "access_denied" })).toMatchObject({ kind: "refused" });
    expect(idp.requests).toEqual([]);
    expect(await alice.comeBack(at, { code: "C" })).toMatchObject({ kind: "confirm" });
  });

  test("of mallory's own consent does not link mallory's account in alice's browser", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const [alice, mallory] = [new Person(runtime), new Person(runtime)];
    await alice.toProvider(await start(runtime));
    const stolen = await mallory.toProvider(await start(runtime, { user: "mallory" }));

    expect(await alice.comeBack(stolen, { code: "of-mallory" })).toMatchObject({ kind: "refused" });
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
  });
});

describe("the life of an address", () => {
  test.each([
    ["unopened, ends after 24 hours", 24 * HOUR, false],
    ["opened, ends after 10 minutes", 10 * MINUTE, true],
  ])("%s", async (_name, life, opened) => {
    await using deployment = await consenting();
    const { runtime, clock } = deployment;
    const alice = new Person(runtime);
    const authorization = await start(runtime);
    if (opened) await alice.toProvider(authorization);
    clock.move(life - 5000);
    const before = await status(runtime, authorization);
    clock.move(5000);

    expect(before.status).toBe("pending");
    expect(await alice.open(authorization.url ?? "")).toMatchObject({ kind: "failed" });
    expect(await status(runtime, authorization)).toMatchObject({
      status: "failed",
      status_reason: "the consent was not finished in time; start a new authorization",
    });
  });

  test("is not extended by opening it late or again", async () => {
    await using deployment = await consenting();
    const { runtime, clock } = deployment;
    const authorization = await start(runtime);
    clock.move(24 * HOUR - MINUTE);
    await new Person(runtime).toProvider(authorization);
    clock.move(MINUTE);
    const late = await status(runtime, authorization);

    const second = await start(runtime);
    await new Person(runtime).toProvider(second);
    clock.move(9 * MINUTE);
    await new Person(runtime).toProvider(second);
    clock.move(MINUTE);

    expect([late.status, (await status(runtime, second)).status]).toEqual(["failed", "failed"]);
  });

  test("is over: no callback stores a grant", async () => {
    await using deployment = await consenting();
    const { runtime, clock, idp } = deployment;
    const alice = new Person(runtime);
    const at = await alice.toProvider(await start(runtime));
    clock.move(10 * MINUTE);

    expect(await alice.comeBack(at, { code: "C" })).toMatchObject({ kind: "failed" });
    expect(idp.requests).toEqual([]);
  });
});
