// The credential of a request: what is one, what is none, and when it stops being one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { operations } from "../../server/operations";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { newApiKey, systemRandom } from "../../src/crypto";
import { createRuntime } from "../../src/runtime";
import { api, at, call } from "../support/api";
import { guarded, ROWS, type RowStage, send, startRowStage } from "./operation-rows";
import { expectNoInsides } from "./scenario";
import { databaseOf, dump } from "./stage";

let stage: RowStage;
beforeAll(async () => {
  // More of them are sent than one client may.
  stage = await startRowStage({ environment: { RUNTIME_LIMITS_BAD_CREDENTIALS: "0" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

test("every operation of the table has its row here", () => {
  expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(ROWS).toSorted());
});

type Headers = Record<string, string>;
/** Kinds of credentials that are tokens, which are told that they do not work (RFC 6750, section 3). */
const TOKENS = ["garbage", "a mistyped key", "an unknown key", "a revoked key", "an expired key"];
const NONE: [string, () => Promise<Headers> | Headers][] = [
  ["no credential", () => ({})],
  ["an empty credential", () => ({ authorization: "" })],
  ["the word Bearer alone", () => ({ authorization: "Bearer" })],
  ["garbage", () => ({ authorization: "Bearer s3cr3t-garbage" })],
  ["another scheme", () => ({ authorization: `Basic ${btoa(`key:${stage.keys.admin}`)}` })],
  ["a key in another header", () => ({ "x-api-key": stage.keys.admin })],
  ["two keys", () => ({ authorization: `${stage.keys.admin}, ${stage.keys.admin}` })],
  ["a mistyped key", () => ({ authorization: mistyped(stage.keys.admin) })],
  ["an unknown key", () => ({ authorization: newApiKey(systemRandom) })],
  ["a revoked key", async () => ({ authorization: await revokedKey() })],
  ["an expired key", async () => ({ authorization: await expiredKey() })],
];

describe.each(NONE)("%s", (kind, headersOf) => {
  test("is refused by every operation, which says so and changes nothing", async () => {
    const headers = await headersOf();
    const challenge = TOKENS.includes(kind) ? 'Bearer error="invalid_token"' : "Bearer";
    const before = dump(databaseOf(stage.site));
    for (const entry of guarded) {
      const answer = await send(stage, entry, headers);
      expect({ id: entry[0], status: answer.status }).toEqual({ id: entry[0], status: 401 });
      expect(at(answer.body, "name")).toBe("invalid_authorization");
      expect(answer.headers.get("www-authenticate")).toBe(challenge);
      expect(answer.text).not.toContain("s3cr3t");
      expectNoInsides(stage, answer.text);
    }
    expect(dump(databaseOf(stage.site))).toEqual(before);
  });

  test("does not matter to a public operation", async () => {
    const headers = await headersOf();
    expect((await call(stage.site.url, { method: "GET", path: "/v1/health", headers })).status).toBe(200);
  });
});

describe("the form of a credential", () => {
  test.each([
    ["the bare key", (key: string) => key],
    ["Bearer", (key: string) => `Bearer ${key}`],
    ["bearer", (key: string) => `bearer ${key}`],
    ["BEARER and more spaces", (key: string) => `BEARER   ${key} `],
  ])("%s is accepted", async (_form, form) => {
    const headers = { authorization: form(stage.keys.read) };
    expect((await call(stage.site.url, { method: "GET", path: "/v1/tools", headers })).status).toBe(200);
  });

  test("a key in the query is not a credential", async () => {
    const { keys, site } = stage;
    const path = `/v1/tools?authorization=${keys.admin}&api_key=${keys.admin}&access_token=${keys.admin}`;
    expect((await call(site.url, { method: "GET", path })).status).toBe(401);
  });
});

describe("a revoked key", () => {
  test("stops at once", async () => {
    const key = await stage.site.key("read");
    expect(await statusWith(key)).toBe(200);
    await revoke(key);
    expect(await statusWith(key)).toBe(401);
  });

  test("stops at once when another process revokes it", async () => {
    const key = await stage.site.key("read");
    expect(await statusWith(key)).toBe(200);
    const config = loadConfig({ environment: stage.site.environment });
    const second = await createRuntime(config, extensions, { log: silentLog });
    try {
      await second.identity.deleteKey(await second.identity.operator("default"), await idOf(key));
      expect(await statusWith(key)).toBe(401);
    } finally {
      await second.close();
    }
  });

  test("works in no process that starts later", async () => {
    const key = await revokedKey();
    const config = loadConfig({ environment: stage.site.environment });
    const later = await createRuntime(config, extensions, { log: silentLog });
    const refused = Promise.resolve(later.identity.authenticate(key)).finally(() => later.close());
    await expect(refused).rejects.toHaveProperty("status", 401);
  });
});

test("the log and the database contain no key", () => {
  const state = JSON.stringify(dump(databaseOf(stage.site)));
  const log = stage.site.logLines.join("\n");
  expect(log).toContain('"path":"/v1/tools"');
  expect(state).toContain('"name":"');
  for (const key of Object.values(stage.keys)) {
    expect(log).not.toContain(key);
    expect(state).not.toContain(key);
  }
});

function mistyped(key: string): string {
  const last = key.at(-1) === "a" ? "b" : "a";
  return key.slice(0, -1) + last;
}

async function statusWith(key: string): Promise<number> {
  return (await api(stage.site.url, key).get("/v1/tools")).status;
}

async function idOf(key: string): Promise<string> {
  const { identity } = stage.site.runtime;
  const keys = await identity.listKeys(await identity.operator("default"));
  // The visible prefix has 35 random bits: the few keys of one test run differ in it.
  return keys.items.find(({ prefix }) => key.startsWith(prefix))?.id ?? "";
}

async function revoke(key: string): Promise<void> {
  const { identity } = stage.site.runtime;
  await identity.deleteKey(await identity.operator("default"), await idOf(key));
}

async function revokedKey(): Promise<string> {
  const key = await stage.site.key("admin");
  await revoke(key);
  return key;
}

async function expiredKey(): Promise<string> {
  const { identity } = stage.site.runtime;
  const expires_at = new Date(stage.clock.now() + 3600_000).toISOString();
  const operator = await identity.operator("default");
  const { key = "" } = await identity.createKey(operator, { name: "short", role: "admin", expires_at });
  expect(await statusWith(key)).toBe(200);
  stage.clock.move(3600_000);
  return key;
}
