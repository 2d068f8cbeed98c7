// Users' own keys: entered on our page, checked at the service, and then a connection like any other.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ApiKeyConfig } from "../../src/providers";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import {
  addKeyProvider,
  authorizeKey,
  enterKey,
  giveKey,
  type KeyService,
  sendForm,
  startKeyService,
  statusOf,
} from "./key-page";

const KEY = "tracker-key-CANARY-1";

let site: Site;
let service: KeyService;

beforeAll(async () => {
  service = startKeyService();
  site = await startSite();
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.stop();
});

beforeEach(async () => {
  const operator = await site.runtime.identity.operator("default");
  for (const { id } of (await site.runtime.providers.list(operator)).items)
    await site.runtime.providers.delete(operator, id);
  service.good.clear();
  service.good.add(KEY);
  service.requests.length = 0;
  service.status = undefined;
});

function tested(more: Partial<ApiKeyConfig> = {}): ApiKeyConfig {
  return {
    location: "header",
    name: "X-Api-Key",
    addresses: [service.url],
    test: { url: `${service.url}/me` },
    ...more,
  };
}

function items(page: unknown): unknown[] {
  const list = at(page, "items");
  return Array.isArray(list) ? list : [];
}

describe("a user's own key", () => {
  test("is asked for on our page, and completes the authorization when it is stored", async () => {
    await addKeyProvider(
      site,
      tested({ help: "Settings > API keys", help_url: "https://tracker.example/keys" }),
    );
    const started = await authorizeKey(site, "alice");
    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);

    const browser = new Browser();
    const page = await browser.open(started.url);
    const html = await page.clone().text();
    for (const text of [
      "Tracker",
      "alice",
      "Settings &gt; API keys",
      "https://tracker.example/keys",
      service.url,
    ])
      expect(html).toContain(text);

    const answer = await sendForm(browser, page, { key: `  ${KEY}\n` });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, new URL(started.url).pathname]);
    expect(await (await browser.open(started.url)).text()).toContain("is stored");
    expect(await statusOf(site, started.id)).toEqual(["completed", undefined]);
    expect(service.requests.map(({ headers }) => headers.get("x-api-key"))).toEqual([KEY]);
  });

  test("leads back to the application's address", async () => {
    await addKeyProvider(site, tested());
    const next_uri = "http://localhost:3000/done";
    const started = await authorizeKey(site, "alice", { next_uri });
    const browser = new Browser();
    const answer = await sendForm(browser, await browser.open(started.url), { key: KEY });

    expect([answer.status, answer.headers.get("refresh")]).toEqual([200, `0; url=${next_uri}`]);
  });

  test("is a connection in lists, and is given again after that was deleted", async () => {
    await addKeyProvider(site, tested());
    await giveKey(site, "alice", KEY);
    const admin = api(site.url, await site.key("admin"));
    const listed = await admin.get("/v1/admin/user_connections?user_id=alice");
    const [connection] = items(listed.body);
    expect(connection).toMatchObject({
      provider_id: "tracker",
      provider_type: "api_key",
      connection_status: "active",
      scopes: [],
    });
    expect(JSON.stringify(listed.body)).not.toContain("CANARY");

    await admin.delete(`/v1/admin/user_connections/${String(at(connection, "id"))}`);
    const again = await authorizeKey(site, "alice");
    expect(await statusOf(site, again.id)).toEqual(["pending", undefined]);
  });

  test.each<
    [
      string,
      Pick<ApiKeyConfig, "location" | "name" | "prefix">,
      (request: KeyService["requests"][number]) => unknown,
      string,
    ]
  >([
    [
      "a header with a prefix",
      { location: "header", name: "Authorization", prefix: "Token " },
      ({ headers }) => headers.get("authorization"),
      `Token ${KEY}`,
    ],
    ["the query", { location: "query", name: "api_key" }, ({ path }) => path, `/me?api_key=${KEY}`],
    ["a cookie", { location: "cookie", name: "sid" }, ({ headers }) => headers.get("cookie"), `sid=${KEY}`],
    [
      "basic credentials",
      { location: "basic" },
      ({ headers }) => headers.get("authorization"),
      `Basic ${Buffer.from(`${KEY}:`).toString("base64")}`,
    ],
  ])("is tested in %s", async (_name, place, sent, expected) => {
    const { addresses = [], test = { url: "" } } = tested();
    await addKeyProvider(site, { ...place, addresses, test });
    await giveKey(site, "alice", KEY);

    expect(service.requests.map(sent)).toEqual([expected]);
    expect(site.logLines.filter((line) => line.includes(KEY))).toEqual([]);
  });
});

describe("a key is not stored", () => {
  test.each<[string, string, number | undefined, string]>([
    ["that the service refuses", "another-key", undefined, "refused this key"],
    ["while the service cannot check it", KEY, 503, "could not check the key"],
    ["while the service asks to wait", KEY, 429, "could not check the key"],
    ["that is empty", "   ", undefined, "Enter your key"],
    ["with other characters than headers hold", "clé", undefined, "not a key"],
  ])("%s", async (_name, key, status, said) => {
    service.status = status;
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const page = await enterKey(started.url, key, browser);

    const html = await page.clone().text();
    expect(html).toContain(said);
    expect(html).not.toContain(key.trim() || "no key");
    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
    service.status = undefined;
    expect((await sendForm(browser, page, { key: KEY })).status).toBe(303);
    expect(await statusOf(site, started.id)).toEqual(["completed", undefined]);
  });

  test("while the service is down", async () => {
    const gone = startKeyService();
    await gone.stop();
    await addKeyProvider(site, tested({ addresses: [gone.url], test: { url: gone.url } }));
    const started = await authorizeKey(site, "alice");

    expect(await (await enterKey(started.url, KEY)).text()).toContain("could not check the key");
    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
  });

  test("if the person does not want to", async () => {
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const answer = await sendForm(browser, await browser.open(started.url), { key: KEY, answer: "no" });

    expect(await answer.text()).toContain("You did not give a key");
    expect(await statusOf(site, started.id)).toEqual(["failed", "the person did not give a key"]);
    expect(service.requests).toEqual([]);
  });

  test("and after ten refusals the consent is over", async () => {
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const page = await browser.open(started.url);
    for (let index = 0; index < 12; index++) await sendForm(browser, page, { key: `guess-${index}` });

    expect(await statusOf(site, started.id)).toEqual([
      "failed",
      "too many keys were refused; start a new authorization",
    ]);
    expect(service.requests).toHaveLength(10);
  });
});

test("a provider of keys has no scopes to ask for", async () => {
  await addKeyProvider(site, tested());
  const answer = await api(site.url, await site.key("run")).post("/v1/auth/authorize", {
    auth_requirement: { provider_id: "tracker", oauth2: { scopes: ["read"] } },
    user_id: "alice",
  });

  expect([answer.status, at(answer.body, "message")]).toEqual([
    400,
    "The auth provider tracker takes keys of users, which have no scopes. Leave out oauth2.scopes.",
  ]);
});

describe("keys end", () => {
  test("when their addresses move to another origin", async () => {
    await addKeyProvider(site, tested());
    await giveKey(site, "alice", KEY);
    const admin = api(site.url, await site.key("admin"));
    const api_key = { addresses: [service.url, "https://elsewhere.example"] };
    expect((await admin.patch("/v1/admin/auth_providers/tracker", { api_key })).status).toBe(200);

    expect(items((await admin.get("/v1/admin/user_connections")).body)).toEqual([]);
  });

  test("not when an address is taken away", async () => {
    await addKeyProvider(site, tested({ addresses: [service.url, "https://elsewhere.example"] }));
    await giveKey(site, "alice", KEY);
    const admin = api(site.url, await site.key("admin"));
    await admin.patch("/v1/admin/auth_providers/tracker", { api_key: { addresses: [service.url] } });

    expect(items((await admin.get("/v1/admin/user_connections")).body)).toHaveLength(1);
  });
});
