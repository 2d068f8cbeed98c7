// `Idempotency-Key` on what creates: a client that repeats because the answer was lost gets that answer. (Runs of tools
// have tests of their own: test/tools/idempotency.test.ts.)
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, call } from "../support/api";
import { databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

let count = 0;
const newKey = () => `test-key-${++count}`;
const provider = (id: string) => ({
  id,
  provider_id: "slack",
  oauth2: { client_id: "client", client_secret: "s3cr3t of the client" },
});

function post(path: string, key: string, body: object, as: keyof Stage["keys"] = "admin") {
  const headers = { "idempotency-key": key };
  return call(stage.site.url, { method: "POST", path, key: stage.keys[as], body, headers });
}

describe("a provider that is created again under the same key", () => {
  test("is the one of the first time, and there is one", async () => {
    const key = newKey();
    const first = await post("/v1/admin/auth_providers", key, provider("once"));
    const again = await post("/v1/admin/auth_providers", key, provider("once"));

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    const rows = dump(databaseOf(stage.site))["auth_providers"] ?? [];
    expect(rows.filter((row) => Object(row).id === "once")).toHaveLength(1);
  });

  test("at the same moment is made once, and both learn of it", async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post("/v1/admin/auth_providers", key, provider("race"))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  });

  test("with another body is refused, and nothing is made", async () => {
    const key = newKey();
    await post("/v1/admin/auth_providers", key, provider("mine"));
    const other = await post("/v1/admin/auth_providers", key, provider("another"));

    expect([other.status, at(other.body, "name")]).toEqual([400, "idempotency_mismatch"]);
    expect(JSON.stringify(dump(databaseOf(stage.site))["auth_providers"])).not.toContain('"another"');
  });

  test("under another key exists already", async () => {
    await post("/v1/admin/auth_providers", newKey(), provider("taken"));
    const again = await post("/v1/admin/auth_providers", newKey(), provider("taken"));
    expect([again.status, at(again.body, "name")]).toEqual([400, "already_exists"]);
  });

  test("after a refusal is tried again", async () => {
    const key = newKey();
    const bad = { ...provider("later"), oauth2: { client_id: "" } };
    expect((await post("/v1/admin/auth_providers", key, { ...bad, id: "slack" })).status).toBe(400);
    await call(stage.site.url, {
      method: "DELETE",
      path: "/v1/admin/auth_providers/slack",
      key: stage.keys.admin,
    });
    expect((await post("/v1/admin/auth_providers", key, provider("slack"))).status).toBe(201);
  });

  test("by another credential is another request", async () => {
    const key = newKey();
    expect((await post("/v1/admin/auth_providers", key, provider("both"))).status).toBe(201);
    expect((await post("/v1/admin/auth_providers", key, provider("both"), "other")).status).toBe(201);
  });

  test("leaves neither secret nor key in the database to read", async () => {
    const made = await post("/v1/admin/auth_providers", "canary-of-the-key", provider("sealed"));
    const text = JSON.stringify(dump(databaseOf(stage.site)));
    expect(made.status).toBe(201);
    expect(text).toContain('"sealed"');
    expect(text).not.toContain("s3cr3t of the client");
    expect(text).not.toContain("canary-of-the-key");
  });
});

test("a gateway that is created again under the same key is the one of the first time", async () => {
  const path = "/v1/orgs/default/projects/default/gateways";
  const key = newKey();
  const desk = { name: "Desk", slug: "desk", auth_type: "arcade_header" };
  const [first, again] = [await post(path, key, desk), await post(path, key, desk)];

  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect((await post(path, newKey(), desk)).status).toBe(409);
});

test.each(["/v1/auth/authorize", "/v1/tools/authorize"])(
  "a consent that is started again by POST %s under the same key is the same consent",
  async (path) => {
    const body = path.startsWith("/v1/tools")
      ? { tool_name: "Chat.SendMessage", user_id: "alice" }
      : { user_id: "alice", auth_requirement: { id: "once", oauth2: { scopes: ["users:read"] } } };
    const key = newKey();
    const first = await post(path, key, body);
    const again = await post(path, key, body);

    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(at(first.body, "status")).toBe("pending");
  },
);

test.each(["", "with space", "x".repeat(256), "ü"])("rejects %p as a key and stores nothing", async (key) => {
  const answer = await post("/v1/admin/auth_providers", key, provider("never"));
  expect([answer.status, at(answer.body, "name")]).toEqual([400, "invalid_parameter"]);
  expect(JSON.stringify(dump(databaseOf(stage.site))["auth_providers"])).not.toContain('"never"');
});
