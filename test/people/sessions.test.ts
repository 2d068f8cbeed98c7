// Sessions of browsers: how they begin, how long they last, and how they end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { deploy, type Deployment, operator } from "../tools/deployment";

const HOUR = 3_600_000;

let deployment: Deployment;
beforeEach(async () => {
  deployment = await deploy({
    environment: { RUNTIME_SIGN_IN: "proxy", RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1" },
  });
});
afterEach(() => deployment[Symbol.asyncDispose]());

let number = 0;
async function begin(userId = "alice", former?: string, startedBy = `start ${number++}`): Promise<string> {
  const { sessions } = deployment.runtime;
  const started = { projectId: "default", userId, method: "proxy", startedBy, userAgent: "Test/1" } as const;
  const cookie = await sessions.begin(started, former);
  if (cookie === undefined) throw new Error("no session");
  return cookie;
}
const userOf = async (cookie: string) =>
  (await deployment.runtime.people.signedIn("default", cookie))?.userId;

describe("a session", () => {
  test("begins once for the same start, even at the same time", async () => {
    const { sessions } = deployment.runtime;
    const started = { projectId: "default", userId: "alice", method: "proxy", startedBy: "one" } as const;
    const cookies = await Promise.all(Array.from({ length: 5 }, () => sessions.begin(started)));

    expect(cookies.filter((cookie) => cookie !== undefined)).toHaveLength(1);
    expect(await sessions.list("default", "alice")).toHaveLength(1);
  });

  test("ends when it was idle for eight hours, and lives on with use", async () => {
    const cookie = await begin();
    for (let hour = 0; hour < 12; hour += 4) {
      deployment.clock.move(4 * HOUR);
      expect(await userOf(cookie)).toBe("alice");
    }
    deployment.clock.move(8 * HOUR);
    expect(await userOf(cookie)).toBeUndefined();
  });

  test("ends after a week, however much it is used", async () => {
    const cookie = await begin();
    for (let hour = 0; hour < 7 * 24 - 4; hour += 4) {
      deployment.clock.move(4 * HOUR);
      expect(await userOf(cookie)).toBe("alice");
    }
    deployment.clock.move(4 * HOUR);
    expect(await userOf(cookie)).toBeUndefined();
  });

  test("ends on another server with the next request", async () => {
    const cookie = await begin();
    const other = await deployment.another();
    expect((await other.people.signedIn("default", cookie))?.userId).toBe("alice");
    const [session] = await deployment.runtime.sessions.list("default", "alice");
    await deployment.runtime.sessions.end("default", "alice", session?.id ?? "");

    expect(await other.people.signedIn("default", cookie)).toBeUndefined();
  });

  test("of another user or project cannot be ended", async () => {
    const cookie = await begin();
    const { sessions } = deployment.runtime;
    const [session] = await sessions.list("default", "alice");
    const id = session?.id ?? "";

    expect(await sessions.end("default", "bob", id)).toBe(false);
    expect(await sessions.end("other", "alice", id)).toBe(false);
    expect(await userOf(cookie)).toBe("alice");
  });

  test("is one of at most 50 of a person, the newest", async () => {
    const first = await begin();
    // Of two that begin in the same millisecond, neither is the newer one.
    deployment.clock.move(1);
    for (let index = 0; index < 50; index++) await begin();
    const other = await begin("bob");

    expect(await deployment.runtime.sessions.list("default", "alice")).toHaveLength(50);
    expect([await userOf(first), await userOf(other)]).toEqual([undefined, "bob"]);
  });

  test("has entries in the audit trail, under a pseudonym", async () => {
    await begin();
    const { runtime } = deployment;
    await runtime.sessions.endOthers("default", "alice", operator());
    const { items } = await runtime.trail.audit(operator(), { action: "session.", limit: 10 });

    expect(items.map(({ action, actor }) => [action, actor])).toEqual([
      ["session.end", "operator"],
      ["session.begin", "browser"],
    ]);
  });
});

test("all others of a person end at once, and those of others stay", async () => {
  const [here, there, other] = [await begin(), await begin(), await begin("bob")];
  const { people, sessions } = deployment.runtime;
  const own = await people.signedIn("default", here);
  const ended = await sessions.endOthers("default", "alice", operator(), own?.sessionId);

  expect(ended).toBe(1);
  expect([await userOf(here), await userOf(there), await userOf(other)]).toEqual(["alice", undefined, "bob"]);
});

test("a person who was not invited is not signed in where only invited people are", async () => {
  const { runtime } = deployment;
  await runtime.identity.projects.update(operator(), "default", { sign_in: "passkey" });
  const cookie = await runtime.sessions.begin({
    projectId: "default",
    userId: "alice",
    method: "passkey",
    startedBy: "one",
  });

  expect(await runtime.people.isKnown("default", "alice")).toBe(false);
  expect(await userOf(cookie ?? "")).toBeUndefined();
});
