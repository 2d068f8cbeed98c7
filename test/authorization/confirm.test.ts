// The user check on our page, and what happens between the exchange and the answer.
import { describe, expect, test } from "bun:test";
import { openKeyring } from "../../src/crypto";
import { call, connectionOf, requirementOf } from "../connections/executing";
import { operator } from "../tools/deployment";
import { about, consenting, MINUTE, start, status } from "./consenting";
import { Person, tokenOf } from "./person";

async function onPage(answer: object = {}) {
  const deployment = await consenting(answer);
  const { runtime } = deployment;
  const alice = new Person(runtime);
  const authorization = await start(runtime);
  const page = await alice.comeBack(await alice.toProvider(authorization), { code: "C" });
  if (page.kind !== "confirm") throw new Error("no page of the user check");
  return { deployment, runtime, alice, authorization, page };
}

describe("the answer", () => {
  test("no ends the consent and deletes the grant", async () => {
    const { deployment, runtime, alice, authorization, page } = await onPage();
    await using _ = deployment;
    const reason = "the person said that this is not their account";

    expect(await alice.answer(page, false)).toEqual({ kind: "failed", reason, about });
    expect(await alice.answer(page)).toEqual({ kind: "failed", reason, about });
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
    expect(await status(runtime, authorization)).toMatchObject({ status: "failed", status_reason: reason });
  });

  test("yes, twice, links once", async () => {
    const { deployment, runtime, alice, page } = await onPage();
    await using _ = deployment;

    const both = await Promise.all([alice.answer(page), alice.answer(page)]);

    expect(both).toEqual([
      { kind: "completed", about },
      { kind: "completed", about },
    ]);
    expect(await alice.answer(page)).toEqual({ kind: "completed", about });
    expect((await call(runtime, "alice")).success).toBe(true);
  });

  test.each<[string, { cookie?: string | undefined; check?: string; token?: string }, number]>([
    ["of another browser", { cookie: "d".repeat(43) }, 400],
    ["of a browser without a cookie", { cookie: undefined }, 400],
    ["with another check", { check: "x".repeat(43) }, 400],
    ["without a check", { check: "" }, 400],
    ["to an unknown address", { token: "unknown" }, 404],
  ])("%s is refused and changes nothing", async (_name, change, code) => {
    const { deployment, runtime, alice, authorization, page } = await onPage();
    await using _ = deployment;
    const given = { token: tokenOf(page.action), check: page.check, cookie: alice.cookie, ...change };

    for (const agrees of [true, false]) {
      const outcome = await runtime.consent.confirm(given.token, given.check, agrees, given.cookie);
      expect(outcome).toMatchObject({ kind: "refused", status: code });
    }
    expect(await status(runtime, authorization)).toMatchObject({ status: "pending" });
  });

  test("is refused before the callback of the provider", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const alice = new Person(runtime);
    const authorization = await start(runtime);
    await alice.toProvider(authorization);
    const token = tokenOf(authorization.url ?? "");

    expect(await runtime.consent.confirm(token, "", true, alice.cookie)).toMatchObject({ kind: "refused" });
  });

  test("is refused after the address has expired", async () => {
    const { deployment, runtime, alice, page } = await onPage();
    await using _ = deployment;
    deployment.clock.move(10 * MINUTE);

    expect(await alice.answer(page)).toMatchObject({ kind: "failed" });
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
  });

  test("does not extend the lifetime of the token, which began when the provider issued it", async () => {
    const { deployment, runtime, alice, page } = await onPage({ refresh_token: undefined, expires_in: 600 });
    await using _ = deployment;
    deployment.clock.move(9 * MINUTE);
    await alice.answer(page);
    const fresh = await requirementOf(runtime, "alice");
    deployment.clock.move(MINUTE);

    expect(fresh).toMatchObject({ met: true });
    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: false });
  });

  test("opening our address again shows the same page in this browser only", async () => {
    const { deployment, runtime, alice, authorization, page } = await onPage();
    await using _ = deployment;

    expect(await alice.open(authorization.url ?? "")).toEqual(page);
    expect(await new Person(runtime).open(authorization.url ?? "")).toMatchObject({ kind: "refused" });
  });
});

describe("at the moment when the grant is stored", () => {
  /** Something happens between the last look at the flow and the transaction: the keyring is in between. */
  async function inBetween(event: (deployment: Awaited<ReturnType<typeof consenting>>) => Promise<unknown>) {
    let happen: (() => Promise<unknown>) | undefined;
    const deployment = await consenting(
      {},
      {
        parts: {
          openKeyring: async (options) => {
            const ring = await openKeyring(options);
            const seal = ring.seal.bind(ring);
            ring.seal = async (projectId, place, text) => {
              const sealed = await seal(projectId, place, text);
              const now = happen;
              if (place.table === "connections" && now !== undefined) {
                happen = undefined;
                await now();
              }
              return sealed;
            };
            return ring;
          },
        },
      },
    );
    const { runtime } = deployment;
    const alice = new Person(runtime);
    const authorization = await start(runtime);
    const page = await alice.comeBack(await alice.toProvider(authorization), { code: "C" });
    happen = () => event(deployment);
    return { deployment, runtime, authorization, outcome: await alice.answer(page) };
  }

  test("a deleted provider gets no grant, and a new one with its id has none", async () => {
    const { deployment, runtime, authorization, outcome } = await inBetween(async (made) => {
      await made.runtime.providers.delete(operator(), "idp");
      await made.addProvider();
    });
    await using _ = deployment;

    expect(outcome).toEqual({ kind: "failed", reason: "the auth provider was deleted", about });
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
    expect(await status(runtime, authorization)).toMatchObject({ status: "failed" });
  });

  test("a grant of a consent that came later stays", async () => {
    const { deployment, runtime, outcome } = await inBetween((made) =>
      made.give("alice", { access: "elsewhere" }),
    );
    await using _ = deployment;
    await call(runtime, "alice");

    expect(outcome).toEqual({ kind: "completed", about });
    expect(deployment.platform.tokens()).toEqual(["elsewhere"]);
    expect((await runtime.connections.list(operator(), {})).total_count).toBe(1);
  });
});
