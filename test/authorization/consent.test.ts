// Whole consents: from our address to a stored grant.
import { describe, expect, test } from "bun:test";
import { call, connectionOf, refusal, requirementOf } from "../connections/executing";
import type { TokenAnswer } from "../support/token-endpoint";
import { about, consenting, start, status } from "./consenting";
import { Person } from "./person";

test("a consent becomes a grant that tools run with", async () => {
  await using deployment = await consenting();
  const { runtime, platform } = deployment;
  const authorization = await start(runtime);

  expect(await new Person(runtime).consent(authorization)).toEqual({ kind: "completed", about });
  expect((await call(runtime, "alice")).success).toBe(true);
  expect(platform.tokens()).toEqual(["granted"]);
});

test("the record is completed, with the granted scopes and without the address", async () => {
  await using deployment = await consenting({ scope: "b a more" });
  const { runtime } = deployment;
  const authorization = await start(runtime);
  await new Person(runtime).consent(authorization);

  expect(await status(runtime, authorization)).toEqual({
    id: authorization.id,
    status: "completed",
    user_id: "alice",
    provider_id: "idp",
    scopes: ["b", "a", "more"],
    context: {},
  });
});

test("the user check shows the user, the provider and the scopes before anything is stored", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const alice = new Person(runtime);
  const authorization = await start(runtime);
  const page = await alice.comeBack(await alice.toProvider(authorization), { code: "C" });

  expect(page).toMatchObject({ kind: "confirm", userId: "alice", about, scopes: ["a", "b"] });
  expect(await status(runtime, authorization)).toMatchObject({ status: "pending" });
  expect(await connectionOf(runtime, "alice")).toBeUndefined();
});

test("the browser is redirected to next_uri at the end", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const alice = new Person(runtime);
  const authorization = await start(runtime, { nextUri: "https://app.example/done" });
  const end = { kind: "redirect", location: "https://app.example/done" } as const;

  expect(await alice.consent(authorization)).toEqual(end);
  expect(await alice.open(authorization.url ?? "")).toEqual(end);
});

test("the code is exchanged with the verifier of the challenge and the redirect address that was sent", async () => {
  await using deployment = await consenting();
  const { runtime, idp } = deployment;
  const alice = new Person(runtime);
  const at = await alice.toProvider(await start(runtime));
  await alice.comeBack(at, { code: "C" });

  const [request] = idp.requests;
  const digest = new Bun.CryptoHasher("sha256")
    .update(request?.params["code_verifier"] ?? "")
    .digest("base64url");
  expect(digest).toBe(at.location.searchParams.get("code_challenge") ?? "");
  expect(request?.params["redirect_uri"]).toBe(at.location.searchParams.get("redirect_uri") ?? "");
  expect(request?.params["code"]).toBe("C");
});

describe("of the requested scopes", () => {
  test("a missing one fails the consent with a reason, and the granted ones are stored", async () => {
    await using deployment = await consenting({ scope: "a" });
    const { runtime } = deployment;
    const authorization = await start(runtime, { nextUri: "https://app.example/done" });
    const reason = "the user did not grant b";

    expect(await new Person(runtime).consent(authorization)).toEqual({ kind: "failed", reason, about });
    expect(await status(runtime, authorization)).toMatchObject({
      status: "failed",
      status_reason: reason,
      scopes: ["a"],
    });
    expect(await requirementOf(runtime, "alice", "Test.Narrow")).toMatchObject({ met: true });
    expect((await call(runtime, "alice", "Test.Narrow")).success).toBe(true);
    expect((await refusal(call(runtime, "alice", "Test.Call"))).message).toContain("(b)");
  });

  test("all are granted if the provider returns no scope [fault: scope-separator]", async () => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    await new Person(runtime).consent(await start(runtime));

    expect(await connectionOf(runtime, "alice")).toMatchObject({ scopes: ["a", "b"] });
  });

  test("none are granted if the provider returns an empty scope", async () => {
    await using deployment = await consenting({ scope: "" });
    const { runtime } = deployment;
    await new Person(runtime).consent(await start(runtime));

    expect((await refusal(call(runtime, "alice"))).message).toContain("(a, b)");
  });

  test("one in another case is a different one [fault: scope-separator]", async () => {
    await using deployment = await consenting({ scope: "a B" });
    const { runtime } = deployment;

    expect(await new Person(runtime).consent(await start(runtime))).toEqual({
      kind: "failed",
      reason: "the user did not grant b",
      about,
    });
  });

  test.each([
    ["with a comma", { scope: "a,b" }],
    ["with a space", { scope: "a b" }],
    ["with both", { scope: "a, b" }],
    ["in a list", { scope: ["a", "b"] }],
  ])("both are granted when the provider says so %s [fault: scope-separator]", async (_name, answer) => {
    await using deployment = await consenting(answer);
    const { runtime } = deployment;
    await new Person(runtime).consent(await start(runtime));

    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: true, token_status: "completed" });
  });
});

describe("two consents of one user", () => {
  test.each([
    ["in the order of their start", false],
    ["in the reverse order", true],
  ])("end each on its own, %s [fault: concurrent-consents]", async (_name, reverse) => {
    await using deployment = await consenting();
    const { runtime } = deployment;
    const alice = new Person(runtime);
    const begun = [await start(runtime), await start(runtime, { nextUri: "https://app.example" })];
    const [first, second] = reverse ? begun.toReversed() : begun;
    if (first === undefined || second === undefined) throw new Error("not two");
    const [atFirst, atSecond] = [await alice.toProvider(first), await alice.toProvider(second)];

    await alice.answer(await alice.comeBack(atFirst, { code: "C1" }));
    const between = [(await status(runtime, first)).status, (await status(runtime, second)).status];
    await alice.answer(await alice.comeBack(atSecond, { code: "C2" }));

    expect(between).toEqual(["completed", "pending"]);
    expect((await status(runtime, second)).status).toBe("completed");
  });
});

describe("when the code cannot be exchanged", () => {
  test.each<[string, TokenAnswer, string]>([
    ["the provider refuses", { status: 400, body: { error: "invalid_grant" } }, "invalid_grant"],
    ["the provider is down", { status: 503, body: "down" }, "no usable answer (HTTP 503)"],
    ["the answer has no token", { body: { ok: true } }, "no_access_token"],
  ])("because %s, the consent fails with the reason and nothing is stored", async (_name, answer, reason) => {
    await using deployment = await consenting();
    const { runtime, idp } = deployment;
    idp.queue(answer);
    const alice = new Person(runtime);
    const authorization = await start(runtime);
    const outcome = await alice.comeBack(await alice.toProvider(authorization), { code: "C" });

    expect(outcome).toMatchObject({ kind: "failed" });
    const record = await status(runtime, authorization);
    expect(record.status).toBe("failed");
    expect(record.status_reason).toContain(reason);
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
  });
});
