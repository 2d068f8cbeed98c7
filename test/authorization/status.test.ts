// The status of a consent, and waiting for its end.
import { describe, expect, spyOn, test } from "bun:test";
import type { Authorization } from "../../src/authorization";
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import { refusal, until } from "../connections/executing";
import { agent, type Deployment, operator } from "../tools/deployment";
import { consenting, HOUR, start, status } from "./consenting";
import { Person } from "./person";

interface Watched {
  deployment: Deployment;
  runtime: Runtime;
  /** Another process on the same data. */
  other: Runtime;
  authorization: Authorization;
}

async function watched(): Promise<Watched> {
  const deployment = await consenting();
  const { runtime } = deployment;
  return { deployment, runtime, other: await deployment.another(), authorization: await start(runtime) };
}

type Ending = (site: Watched) => Promise<unknown>;
const ENDINGS: [string, Ending, string][] = [
  ["completed", ({ other, authorization }) => new Person(other).consent(authorization), "completed"],
  [
    "declined at the provider",
    async ({ other, authorization }) => {
      const person = new Person(other);
      await person.comeBack(await person.toProvider(authorization), { error: "access_denied" });
    },
    "failed",
  ],
  [
    "ended by no on our page",
    async ({ other, authorization }) => {
      const person = new Person(other);
      await person.answer(
        await person.comeBack(await person.toProvider(authorization), { code: "C" }),
        false,
      );
    },
    "failed",
  ],
  [
    "ended by a change of the provider",
    ({ other }) => other.providers.update(operator(), "idp", { oauth2: { client_id: "other" } }),
    "failed",
  ],
  [
    "ended by the deletion of the provider",
    ({ other }) => other.providers.delete(operator(), "idp"),
    "failed",
  ],
];

/** Seconds of a wait that no test outlasts: an answer shows that something ended the wait. */
const LONGER_THAN_A_TEST = 59;

describe("a waiting request returns at once", () => {
  test.each(ENDINGS)(
    "for a consent that was %s in another process [fault: endless-polling]",
    async (_name, end, expected) => {
      const site = await watched();
      await using _ = site.deployment;
      const waiting = status(site.runtime, site.authorization, LONGER_THAN_A_TEST);
      await status(site.runtime, site.authorization);
      await end(site);
      const value = await waiting;

      expect(value.status).toBe(expected as never);
      expect(value.id).toBe(site.authorization.id);
    },
  );

  test("for a completed consent, when many wait", async () => {
    const site = await watched();
    await using _ = site.deployment;
    const waiting = Promise.all(
      Array.from({ length: 50 }, (_none, index) =>
        status(index % 2 === 0 ? site.runtime : site.other, site.authorization, LONGER_THAN_A_TEST),
      ),
    );
    await new Person(site.runtime).consent(site.authorization);

    expect(new Set((await waiting).map((record) => record.status))).toEqual(new Set(["completed"]));
  });

  test("not when the consent of another user ends", async () => {
    const site = await watched();
    await using _ = site.deployment;
    const order: string[] = [];
    const waiting = status(site.runtime, site.authorization, LONGER_THAN_A_TEST);
    const own = waiting.finally(() => order.push("own"));
    const other = await start(site.runtime, { user: "bob" });
    const others = status(site.runtime, other, LONGER_THAN_A_TEST).finally(() => order.push("other"));
    await new Person(site.other).consent(other);

    expect((await others).status).toBe("completed");
    expect(order).toEqual(["other"]);
    await new Person(site.other).consent(site.authorization);
    expect((await own).status).toBe("completed");
  });

  test("the same record when the wait is over", async () => {
    const site = await watched();
    await using _ = site.deployment;

    expect(await status(site.runtime, site.authorization, 1)).toEqual(site.authorization);
  });
});

describe("the response is immediate", () => {
  test.each([
    ["without wait", undefined],
    ["with wait 0", 0],
  ])("%s", async (_name, wait) => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;
    const order: string[] = [];
    const longer = status(runtime, authorization, 1).then(() => order.push("with wait 1"));
    const value = await status(runtime, authorization, wait);
    order.push("immediate");
    await longer;

    expect(value).toEqual(authorization);
    expect(order).toEqual(["immediate", "with wait 1"]);
  });

  test("for a consent that has been completed", async () => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;
    await new Person(runtime).consent(authorization);
    const value = await status(runtime, authorization, LONGER_THAN_A_TEST);

    expect(value.status).toBe("completed");
    expect(value.id).toBe(authorization.id);
  });

  test("for a caller who has disconnected", async () => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;
    const gone = new AbortController();
    const { id } = authorization;
    const waiting = runtime.authorization.status(agent(), id, LONGER_THAN_A_TEST, gone.signal);
    await status(runtime, authorization);
    gone.abort();

    expect(await waiting).toEqual(authorization);
  });
});

describe("a failed consent", () => {
  test.each([
    { wait: 1, pauseMs: 1000 },
    { wait: 20, pauseMs: 2000 },
  ])(
    "is reported with a delay of up to 2 s for wait $wait, because clients poll without a pause",
    async (row) => {
      const { deployment, runtime, authorization } = await watched();
      await using _ = deployment;
      deployment.clock.move(24 * HOUR);
      const paused = Promise.withResolvers<void>();
      const sleep = spyOn(deployment.clock, "sleep").mockReturnValue(paused.promise);
      let answered = false;
      const answer = status(runtime, authorization, row.wait).finally(() => (answered = true));
      await until(() => sleep.mock.calls.length > 0);

      expect(sleep.mock.calls.map(([ms]) => ms)).toEqual([row.pauseMs]);
      expect(answered).toBe(false);
      paused.resolve();
      expect((await answer).status).toBe("failed");
    },
  );

  test("is reported at once without wait", async () => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;
    deployment.clock.move(24 * HOUR);
    const sleep = spyOn(deployment.clock, "sleep");

    expect((await status(runtime, authorization)).status).toBe("failed");
    expect(sleep).not.toHaveBeenCalled();
  });
});

test("a consent that expires ends the wait [fault: endless-polling]", async () => {
  const { deployment, runtime, authorization } = await watched();
  await using _ = deployment;
  deployment.clock.move(24 * HOUR - 600);
  const value = await status(runtime, authorization, LONGER_THAN_A_TEST);

  expect(value).toMatchObject({ status: "failed" });
  expect(value.id).toBe(authorization.id);
});

describe("a completed consent", () => {
  async function completed(): Promise<Watched> {
    const site = await watched();
    await new Person(site.runtime).consent(site.authorization);
    return site;
  }

  test("has failed if its connection was deleted", async () => {
    const { deployment, runtime, authorization } = await completed();
    await using _ = deployment;
    const { items } = await runtime.connections.list(operator(), {});
    await runtime.connections.delete(operator(), items[0]?.id ?? "");

    expect(await status(runtime, authorization)).toMatchObject({
      status: "failed",
      status_reason: "the connection was deleted",
    });
  });

  test("has failed when the provider no longer accepts the grant", async () => {
    const { deployment, runtime, authorization } = await completed();
    await using _ = deployment;
    deployment.idp.queue({ status: 400, body: { error: "invalid_grant" } });
    deployment.clock.move(2 * HOUR);
    await refusal(runtime.tools.execute(agent(), { tool_name: "Test.Call", user_id: "alice" }));

    expect(await status(runtime, authorization)).toMatchObject({
      status: "failed",
      status_reason: "the provider no longer accepts the grant; the user must consent again",
    });
  });

  test("has the current scopes of the connection", async () => {
    const { deployment, runtime, authorization } = await completed();
    await using _ = deployment;
    await deployment.give("alice", { scopes: ["a", "b", "c"] });

    expect((await status(runtime, authorization)).scopes).toEqual(["a", "b", "c"]);
  });

  test("can be found by the id of its connection", async () => {
    const { deployment, runtime } = await completed();
    await using _ = deployment;
    const { items } = await runtime.connections.list(operator(), {});
    const id = items[0]?.id ?? "";

    expect(await runtime.authorization.status(agent(), id)).toMatchObject({ id, status: "completed" });
  });
});

describe("the consent of another user", () => {
  const strangers: [string, Principal][] = [
    ["a key of another project", agent(null, "second")],
    ["a key that is pinned to others", agent(["bob"])],
    ["a user token of somebody else", { kind: "user", projectId: "default", userId: "bob" }],
  ];

  test.each(strangers)("looks like an unknown one to %s", async (_name, principal) => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;
    const connection = await deployment.give("alice");
    const foreign = await refusal(runtime.authorization.status(principal, authorization.id));
    const grant = await refusal(runtime.authorization.status(principal, connection));
    const unknown = await refusal(runtime.authorization.status(principal, "ar_unknown"));

    expect([foreign.status, foreign.name]).toEqual([400, "invalid_parameter"]);
    expect([foreign.message, grant.message]).toEqual([unknown.message, unknown.message]);
  });

  test.each<[string, Principal]>([
    ["a key that is pinned to the user", agent(["alice", "bob"])],
    ["the user's own token", { kind: "user", projectId: "default", userId: "alice" }],
  ])("is not, to %s", async (_name, principal) => {
    const { deployment, runtime, authorization } = await watched();
    await using _ = deployment;

    expect(await runtime.authorization.status(principal, authorization.id)).toEqual(authorization);
  });
});
