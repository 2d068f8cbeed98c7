// Access to a gateway with API keys: the key, its project and role, and the user.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../connections/executing";
import { api } from "../support/api";
import { client, type McpCall, type McpSite, post, request, valueAt, startMcpSite } from "./site";
import { operator } from "../tools/deployment";

let site: McpSite;
let url: string;
let key: string;
beforeAll(async () => {
  site = await startMcpSite();
  url = await site.gateway("keys");
  key = await site.key();
  await site.deployment.runtime.identity.createProject(operator(), "other", "Other");
});
afterAll(() => site[Symbol.asyncDispose]());

const WHOAMI = { name: "Test_Act", arguments: {} };

/** The status and the user for whom the tool ran, if it ran. */
async function call(by: McpCall): Promise<[number, unknown]> {
  const answer = await client(url, by).modern("tools/call", WHOAMI);
  return [answer.status, answer.status === 200 ? "ran" : valueAt(answer, "message")];
}

describe("a gateway for API keys", () => {
  test("runs tools for the user that the request names", async () => {
    expect(await call({ key, user: "alice" })).toEqual([200, "ran"]);
    expect(await call({ key, headers: { "arcade-user-id": "alice" } })).toEqual([200, "ran"]);
    expect(await call({ key, user: "é".repeat(256) })).toEqual([200, "ran"]);
    expect(await call({ key: await site.key("admin"), user: "alice" })).toEqual([200, "ran"]);
  });

  test("runs tools for the only user of a key that is pinned to one, without a header", async () => {
    const pinned = await site.key("run", ["carol"]);

    expect(await call({ key: pinned })).toEqual([200, "ran"]);
    expect(await call({ key: pinned, user: "" })).toEqual([200, "ran"]);
    expect(await call({ key: pinned, user: "carol" })).toEqual([200, "ran"]);
    const admin = api(site.url, await site.key("admin"));
    // Entries of the execution log are written after the answers.
    await until(async () => {
      const { body } = await admin.get("/v1/admin/executions?user_id=carol");
      return Object(body).items.length === 3;
    });
  });

  test.each<[string, () => McpCall | Promise<McpCall>, number, string]>([
    [
      "without a user, with a key of two users",
      async () => ({ key: await site.key("run", ["alice", "bob"]) }),
      401,
      "pinned to one user",
    ],
    [
      "without a user, with a key of no user",
      async () => ({ key: await site.key("run", []) }),
      401,
      "pinned to one user",
    ],
    [
      "of another user, with a key of one user",
      async () => ({ key: await site.key("run", ["bob"]), user: "alice" }),
      403,
      "pinned",
    ],
    ["without a credential", () => ({ user: "alice" }), 401, "Missing Authorization"],
    ["with an invalid key", () => ({ key: "rt_none", user: "alice" }), 401, "API key"],
    ["without a user", () => ({ key }), 401, "x-user-id"],
    ["with an empty user", () => ({ key, user: "" }), 401, "x-user-id"],
    ["with a user id that is too long", () => ({ key, user: "u".repeat(257) }), 401, "longer than 256"],
    ["with a blank user", () => ({ key, user: " " }), 401, "x-user-id"],
    [
      "that names two users",
      () => ({ key, user: "alice", headers: { "arcade-user-id": "bob" } }),
      401,
      "two different users",
    ],
    [
      "with a key of another project",
      async () => ({ key: await site.key("admin", undefined, "other"), user: "alice" }),
      401,
      "own project",
    ],
    [
      "with a key of the role read",
      async () => ({ key: await site.key("read"), user: "alice" }),
      403,
      "role",
    ],
    [
      "with a key of other users",
      async () => ({ key: await site.key("run", ["bob"]), user: "alice" }),
      403,
      "pinned",
    ],
  ])("refuses a call %s", async (_how, by, status, message) => {
    const [given, text] = await call(await by());
    expect([given, String(text)]).toEqual([status, expect.stringContaining(message)]);
  });

  test("refuses a revoked key at once", async () => {
    const { runtime } = site.deployment;
    const made = await runtime.identity.createKey(operator(), { name: "short", role: "run" });
    expect((await call({ key: made.key, user: "alice" }))[0]).toBe(200);
    await runtime.identity.deleteKey(operator(), made.id);
    expect((await call({ key: made.key, user: "alice" }))[0]).toBe(401);
  });

  test("has no authorization server metadata", async () => {
    expect((await fetch(`${site.url}/.well-known/oauth-protected-resource/mcp/keys`)).status).toBe(404);
    const answer = await post(url, request("ping"));
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("treats a non-ASCII user id like the same id in the API", async () => {
    const users: string[] = [];
    site.deployment.test.act = async () => ({});
    const body = JSON.stringify(request("tools/call", WHOAMI));
    const head = [
      "POST /mcp/keys HTTP/1.1",
      "Host: 127.0.0.1",
      "Connection: close",
      "Content-Type: application/json",
      `Authorization: Bearer ${await site.key("run", ["józef"])}`,
      "X-User-ID: józef",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    users.push(await raw(`${head.join("\r\n")}\r\n\r\n${body}`));
    expect(users[0]).toStartWith("HTTP/1.1 200");
  });
});

test("an inactive or unknown gateway is 404 for every caller", async () => {
  await site.gateway("asleep", { status: "inactive" });
  for (const slug of ["asleep", "nowhere", "Keys", "a%2Fb", "x".repeat(5000)]) {
    const answer = await post(`${site.url}/mcp/${slug}`, request("ping"), { key, user: "alice" });
    expect([slug, answer.status, valueAt(answer, "name")]).toEqual([slug, 404, "not_found"]);
  }
});

test("a gateway that is deleted or deactivated stops at once", async () => {
  const { gateways } = site.deployment.runtime;
  const made = await gateways.create(operator(), { name: "x", slug: "brief", auth_type: "arcade_header" });
  const there = async () =>
    (await client(`${site.url}/mcp/brief`, { key, user: "alice" }).legacy("ping")).status;
  expect(await there()).toBe(200);
  await gateways.patch(operator(), made.id, { status: "inactive" });
  expect(await there()).toBe(404);
  await gateways.patch(operator(), made.id, { status: "active" });
  expect(await there()).toBe(200);
  await gateways.delete(operator(), made.id);
  expect(await there()).toBe(404);
});

test("a credential above the rate limit gets Retry-After", async () => {
  await using limited = await startMcpSite({ environment: { RUNTIME_HTTP_RATE_LIMIT: "2" } });
  const address = await limited.gateway("limited");
  const own = { key: await limited.key(), user: "alice" };
  const statuses: number[] = [];
  for (let index = 0; index < 3; index++) statuses.push((await client(address, own).legacy("ping")).status);
  expect(statuses).toEqual([200, 200, 429]);
  const answer = await client(address, own).legacy("ping");
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a gateway is deleted with its project", async () => {
  const { identity } = site.deployment.runtime;
  await identity.createProject(operator(), "short", "Short");
  const address = await site.gateway("of-short", {}, "short");
  const own = { key: await site.key("run", undefined, "short"), user: "alice" };
  expect((await client(address, own).legacy("ping")).status).toBe(200);
  await identity.deleteProject(operator(), "short");
  expect((await client(address, own).legacy("ping")).status).toBe(404);
});

/** Sends raw bytes, because `fetch` only accepts ASCII headers. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(site.url).port), "127.0.0.1", () => socket.write(text, "utf8"));
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}
