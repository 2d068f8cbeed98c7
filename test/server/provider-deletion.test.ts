// Deleting a provider that is in use. Everything of it goes with it, and nothing of it ever comes back.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider } from "../support/site";
import { connect, databaseOf, dump, type Stage, startConsent, startStage } from "./stage";

const PROVIDERS = "/v1/admin/auth_providers";

let stage: Stage;
let alice = "";
beforeEach(async () => {
  stage = await startStage();
  await stage.site.runtime.providers.delete(await stage.site.runtime.identity.operator("default"), "slack");
  await addProvider();
  alice = await connect(stage, "alice");
});
afterEach(() => stage[Symbol.asyncDispose]());

const admin = () => api(stage.site.url, stage.keys.admin);
const statusOf = async (id: string) => (await admin().get(`/v1/auth/status?id=${id}`)).body;
const execute = (user_id: string) => admin().post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id });
const exchanges = () => stage.site.chat.calls("oauth.v2.access");
const tableOf = (table: string) => dump(databaseOf(stage.site))[table] ?? [];

/** The same provider each time: id, client and redirect address. */
async function addProvider(): Promise<void> {
  const answer = await admin().post(PROVIDERS, { ...chatProvider(stage.site.chat), external_id: "fixed" });
  expect(answer.status).toBe(201);
}

test("its connections and pending consents go in one step, pollers learn it at once [fault: orphans]", async () => {
  const { id } = await startConsent(stage, { user_id: "bob" });
  // Longer than a test may take: an answer shows that the deletion ended the wait.
  const polling = admin().get(`/v1/auth/status?id=${id}&wait=59`);
  await admin().get(`/v1/auth/status?id=${id}`);
  expect((await admin().delete(`${PROVIDERS}/slack`)).status).toBe(200);
  const { status, body } = await polling;
  expect(status).toBe(200);
  expect({ status: at(body, "status"), reason: at(body, "status_reason"), url: at(body, "url") }).toEqual({
    status: "failed",
    reason: "the auth provider was deleted",
    url: undefined,
  });
  const list = await admin().get("/v1/admin/user_connections");
  expect(list.body).toMatchObject({ items: [], total_count: 0 });
  expect(tableOf("connections")).toEqual([]);
  const refused = await execute("alice");
  expect({ status: refused.status, name: at(refused.body, "name") }).toEqual({
    status: 400,
    name: "tool_requirements_not_met",
  });
  expect(at(refused.body, "message")).toContain("no auth provider");
});

test("a provider of the same id and address finds nothing of the old one [fault: orphans]", async () => {
  await admin().delete(`${PROVIDERS}/slack`);
  await addProvider();
  stage.site.chat.clearRequests();
  const refused = await execute("alice");
  expect({ status: refused.status, name: at(refused.body, "name") }).toEqual({
    status: 403,
    name: "tool_requirements_not_met",
  });
  // The grant of the deleted provider may be revoked at any time.
  expect(stage.site.chat.calls() - stage.site.chat.calls("auth.revoke")).toBe(0);
  expect((await admin().get("/v1/admin/user_connections")).body).toMatchObject({ items: [], total_count: 0 });
  expect((await admin().get(`/v1/auth/status?id=${alice}`)).status).toBe(400);
  const again = await connect(stage, "alice");
  expect(again).not.toBe(alice);
  expect((await admin().get("/v1/admin/user_connections")).body).toMatchObject({ total_count: 1 });
});

describe("a consent that was under way", () => {
  test.each([
    ["its address", async (browser: Browser, url: string) => browser.open(url)],
    ["its callback", async (browser: Browser, _url: string, callback: string) => browser.open(callback)],
  ])(
    "does not go on at %s, not even when the provider is made again [fault: orphans]",
    async (_where, step) => {
      const browser = new Browser();
      const { id, url } = await startConsent(stage, { user_id: "bob" });
      const callback = await browser.toCallback(url, "bob");
      const before = exchanges();
      await admin().delete(`${PROVIDERS}/slack`);
      const gone = await step(browser, url, callback);
      expect(await gone.text()).not.toContain("<form");
      await addProvider();
      const back = await step(browser, url, callback);
      expect(await back.text()).not.toContain("<form");
      expect(exchanges()).toBe(before);
      expect(await statusOf(id)).toMatchObject({ status: "failed" });
      expect(tableOf("connections")).toEqual([]);
    },
  );

  test("does not end in a grant when the person says yes after it", async () => {
    const browser = new Browser();
    const { id, url } = await startConsent(stage, { user_id: "bob" });
    const page = await browser.open(await browser.toCallback(url, "bob"));
    await admin().delete(`${PROVIDERS}/slack`);
    await addProvider();
    const answer = await browser.answer(page, stage.site.url, "yes");
    expect(await answer.text()).toContain("Not connected");
    expect(await statusOf(id)).toMatchObject({ status: "failed" });
    expect(tableOf("connections")).toEqual([]);
    expect((await execute("bob")).status).toBe(403);
  });
});

test("deleting an unused provider does not change the totals", async () => {
  await admin().post(PROVIDERS, chatProvider(stage.site.chat, "unused"));
  expect((await admin().delete(`${PROVIDERS}/unused`)).status).toBe(200);
  expect((await admin().get("/v1/admin/user_connections")).body).toMatchObject({ total_count: 1 });
  expect((await execute("alice")).status).toBe(200);
});

test("deleting it twenty times at once deletes it once", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => admin().delete(`${PROVIDERS}/slack`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    200,
    ...Array.from({ length: 19 }, () => 404),
  ]);
  expect((await admin().get("/v1/admin/user_connections")).body).toMatchObject({ total_count: 0 });
});
