// The callback: a state works once, for its provider, while the record is unchanged.
import { describe, expect, test } from "bun:test";
import type { Deployment } from "../tools/deployment";
import { idpRecord, operator } from "../tools/deployment";
import { connectionOf } from "../connections/executing";
import { about, consenting, start, status } from "./consenting";
import { Person } from "./person";

/** Alice is at the provider. */
async function atProvider(wish: { nextUri?: string } = {}) {
  const deployment = await consenting();
  const { runtime } = deployment;
  const alice = new Person(runtime);
  const authorization = await start(runtime, wish);
  return { deployment, runtime, alice, authorization, at: await alice.toProvider(authorization) };
}

describe("a state", () => {
  test.each([
    ["after the consent was completed", true],
    ["after the person said no", false],
  ])("is refused %s, and nothing changes [fault: concurrent-consents]", async (_name, agrees) => {
    const { deployment, runtime, alice, authorization, at } = await atProvider({
      nextUri: "https://app.example",
    });
    await using _ = deployment;
    await alice.answer(await alice.comeBack(at, { code: "C" }), agrees);
    const before = await status(runtime, authorization);

    expect(await alice.comeBack(at, { code: "D" })).toMatchObject({ kind: "refused", status: 400 });
    expect(await alice.comeBack(at, { error: "access_denied" })).toMatchObject({
      kind: "refused",
      status: 400,
    });
    expect(await status(runtime, authorization)).toEqual(before);
    expect(deployment.idp.requests).toHaveLength(1);
  });

  test("is refused after the user declined at the provider", async () => {
    const { deployment, alice, at } = await atProvider();
    await using _ = deployment;
    await alice.comeBack(at, { error: "access_denied" });

    expect(await alice.comeBack(at, { code: "C" })).toMatchObject({ kind: "refused", status: 400 });
    expect(deployment.idp.requests).toEqual([]);
  });

  test("delivered again during the user check shows the same page and exchanges nothing", async () => {
    const { deployment, alice, at } = await atProvider();
    await using _ = deployment;
    const first = await alice.comeBack(at, { code: "C" });

    expect(await alice.comeBack(at, { code: "C" })).toEqual(first);
    expect(await alice.comeBack(at, { code: "D" })).toEqual(first);
    expect(deployment.idp.requests).toHaveLength(1);
    expect(await alice.answer(first)).toEqual({ kind: "completed", about });
  });

  test("delivered ten times at once, to two processes, is exchanged once", async () => {
    const { deployment, alice, at } = await atProvider();
    await using _ = deployment;
    const there = new Person(await deployment.another());
    there.cookie = alice.cookie;

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? alice : there).comeBack(at, { code: "C" })),
    );

    expect(deployment.idp.requests).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "confirm").length).toBeGreaterThan(0);
    expect(outcomes.every(({ kind }) => kind === "confirm" || kind === "refused")).toBe(true);
  });

  test.each([
    ["that was not issued", { state: "x".repeat(43) }],
    ["that is empty", { state: "" }],
    ["at an unknown address", { externalId: "unknown" }],
  ])("%s is refused with 400 [fault: refused-consent]", async (_name, change) => {
    const { deployment, runtime, alice, authorization, at } = await atProvider();
    await using _ = deployment;

    const outcome = await alice.comeBack({ ...at, ...change }, { code: "C" });

    expect(outcome).toMatchObject({ kind: "refused", status: 400 });
    expect(await status(runtime, authorization)).toEqual(authorization);
  });

  test("is refused at the address of another provider and works at that of its own (mix-up)", async () => {
    const { deployment, runtime, alice, at } = await atProvider();
    await using _ = deployment;
    await runtime.identity.createProject(operator(), "second", "second");
    const record = { ...idpRecord(deployment.idp), id: "other", external_id: "other" };
    await deployment.addProvider(record);
    await deployment.addProvider({ external_id: "second" }, "second");

    for (const externalId of ["other", "second"]) {
      expect(await alice.comeBack({ ...at, externalId }, { code: "C" })).toMatchObject({ kind: "refused" });
    }
    expect(deployment.idp.requests).toEqual([]);
    expect(await alice.comeBack(at, { code: "C" })).toMatchObject({ kind: "confirm" });
  });
});

describe("an error of the provider", () => {
  test.each([
    ["access_denied", "the consent was declined at the provider"],
    ["server_error", "the provider answered server_error"],
    ["<script>alert(1)</script>", "the provider answered with an error"],
  ])("%s ends the consent with a reason", async (error, reason) => {
    const { deployment, runtime, alice, authorization, at } = await atProvider({
      nextUri: "https://app.example",
    });
    await using _ = deployment;
    const outcome = await alice.comeBack(at, { error, error_description: "<img src=x onerror=alert(1)>" });

    expect(outcome).toEqual({ kind: "failed", reason, about });
    expect(await status(runtime, authorization)).toMatchObject({ status: "failed", status_reason: reason });
    expect(deployment.idp.requests).toEqual([]);
  });

  test("prevents the use of a code next to it", async () => {
    const { deployment, alice, at } = await atProvider();
    await using _ = deployment;

    expect(await alice.comeBack(at, { code: "C", error: "access_denied" })).toMatchObject({ kind: "failed" });
    expect(deployment.idp.requests).toEqual([]);
  });
});

type Change = (deployment: Deployment) => Promise<unknown>;
const CHANGES: [string, Change, string][] = [
  [
    "changed",
    ({ runtime }) => runtime.providers.update(operator(), "idp", { oauth2: { client_id: "other" } }),
    "changed meanwhile",
  ],
  [
    "made inactive",
    ({ runtime }) => runtime.providers.update(operator(), "idp", { status: "inactive" }),
    "made inactive meanwhile",
  ],
  ["deleted", ({ runtime }) => runtime.providers.delete(operator(), "idp"), "deleted"],
  [
    "deleted and created again",
    async (deployment) => {
      const external_id = externalIdOf(await deployment.runtime.providers.get(operator(), "idp"));
      await deployment.runtime.providers.delete(operator(), "idp");
      await deployment.addProvider({ external_id });
    },
    "deleted",
  ],
];

describe("a provider that was", () => {
  test.each(CHANGES)(
    "%s before the callback gets no code, and nothing is stored",
    async (_name, change, word) => {
      const { deployment, runtime, alice, authorization, at } = await atProvider();
      await using _ = deployment;
      await change(deployment);
      await alice.comeBack(at, { code: "C" });

      expect(deployment.idp.requests).toEqual([]);
      expect(await connectionOf(runtime, "alice")).toBeUndefined();
      expect((await status(runtime, authorization)).status_reason).toContain(word);
    },
  );

  test.each(CHANGES)("%s during the user check gets no grant", async (_name, change, word) => {
    const { deployment, runtime, alice, authorization, at } = await atProvider();
    await using _ = deployment;
    const page = await alice.comeBack(at, { code: "C" });
    await change(deployment);

    expect(await alice.answer(page)).toMatchObject({ kind: "failed" });
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
    expect((await status(runtime, authorization)).status_reason).toContain(word);
  });

  test.each(CHANGES)("%s before our address was opened fails the consent", async (_name, change) => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const authorization = await start(runtime);
    await change(deployment);

    expect(await new Person(runtime).open(authorization.url ?? "")).toMatchObject({ kind: "failed" });
    expect(await status(runtime, authorization)).toMatchObject({ status: "failed" });
  });
});

function externalIdOf({ oauth2 }: { oauth2?: { redirect_uri: string } }): string {
  return new URL(oauth2?.redirect_uri ?? "").pathname.split("/")[4] ?? "";
}
