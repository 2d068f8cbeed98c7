// Auth providers of the type `api_key`: what their records may say, and what they show.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";

let site: Site;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => admin.delete("/v1/admin/auth_providers/tracker"));

const API_KEY = {
  location: "header",
  name: "X-Api-Key",
  addresses: ["https://api.tracker.example"],
  help: "Settings > Keys",
  help_url: "https://tracker.example/keys",
  test: { url: "https://api.tracker.example/me", expect_status: 200 },
} as const;
const create = (api_key: object, more: object = {}) =>
  admin.post("/v1/admin/auth_providers", { id: "tracker", type: "api_key", api_key, ...more });

test("a record shows what was given, and no oauth2", async () => {
  const created = await create({ ...API_KEY, unknown_to_this_version: 1 });

  expect([
    created.status,
    at(created.body, "type"),
    at(created.body, "api_key"),
    at(created.body, "oauth2"),
  ]).toEqual([201, "api_key", API_KEY, undefined]);
});

test("a patch changes the given fields, and replaces the list of addresses", async () => {
  await create(API_KEY);
  const api_key = { help: "New", addresses: ["https://api.tracker.example", "https://b.example"] };
  const changed = await admin.patch("/v1/admin/auth_providers/tracker", { api_key });

  expect(at(changed.body, "api_key")).toEqual({ ...API_KEY, ...api_key });
});

describe("a record is refused", () => {
  test.each<[string, object, object, string]>([
    ["without api_key", {}, { api_key: undefined }, "api_key is required"],
    ["with oauth2, too", API_KEY, { oauth2: { client_id: "c" } }, "oauth2 has no effect"],
    ["of a well-known provider", API_KEY, { provider_id: "slack" }, "provider_id is a well-known provider"],
    ["of no type", API_KEY, { type: undefined }, "api_key has no effect"],
    ["without a location", { ...API_KEY, location: undefined }, {}, "api_key.location is required"],
    ["with an unknown location", { ...API_KEY, location: "body" }, {}, "api_key.location must"],
    ["with a query without a name", { location: "query" }, {}, "api_key.name is required"],
    ["with a cookie without a name", { location: "cookie" }, {}, "api_key.name is required"],
    ["with a name for basic", { location: "basic", name: "x" }, {}, "api_key.name has no effect"],
    ["with a prefix for basic", { location: "basic", prefix: "x" }, {}, "api_key.prefix has no effect"],
    [
      "with a name that is not one of a header",
      { location: "header", name: "a b" },
      {},
      "api_key.name is not",
    ],
    ["with the header of a connection", { location: "header", name: "Host" }, {}, "api_key.name is set"],
    [
      "with a line break before the key",
      { ...API_KEY, prefix: "a\r\nX: " },
      {},
      "api_key.prefix has characters",
    ],
    ["with a relative address", { ...API_KEY, addresses: ["/x"] }, {}, "api_key.addresses.0 must"],
    [
      "with plain http to a public host",
      { ...API_KEY, addresses: ["http://a.example"] },
      {},
      "api_key.addresses.0 must",
    ],
    [
      "with an address with a placeholder",
      { ...API_KEY, addresses: ["https://{{client_id}}.example"] },
      {},
      "api_key.addresses.0 must",
    ],
    [
      "with a test at another origin",
      { ...API_KEY, test: { url: "https://evil.example/" } },
      {},
      "api_key.test.url is not at one of",
    ],
    [
      "with a test of another method",
      { ...API_KEY, test: { ...API_KEY.test, method: "DELETE" } },
      {},
      "api_key.test.method must",
    ],
    ["with hidden characters in the help", { ...API_KEY, help: "a\u0007" }, {}, "api_key.help must not"],
  ])("%s", async (_name, api_key, more, said) => {
    const answer = await create(api_key, more);

    expect([answer.status, String(at(answer.body, "message"))]).toEqual([400, expect.stringContaining(said)]);
  });
});

test("a patch is refused that moves the test to another origin", async () => {
  await create(API_KEY);
  const api_key = { test: { url: "https://evil.example/" } };
  const answer = await admin.patch("/v1/admin/auth_providers/tracker", { api_key });

  expect([answer.status, String(at(answer.body, "message"))]).toEqual([
    400,
    expect.stringContaining("api_key.test.url is not at one of"),
  ]);
});

test("export and apply keep the record", async () => {
  await create(API_KEY);
  const { body } = await admin.get("/v1/admin/manifest");
  const { providers } = body as { providers: object[] };
  expect(providers).toEqual([expect.objectContaining({ id: "tracker", type: "api_key", api_key: API_KEY })]);

  const apply = async (query = "") => (await admin.post(`/v1/admin/manifest${query}`, { providers })).body;
  expect(at(await apply("?dry_run=true"), "changes")).toEqual([
    expect.objectContaining({ action: "unchanged" }),
  ]);
  await admin.delete("/v1/admin/auth_providers/tracker");
  expect(at(await apply(), "changes")).toEqual([expect.objectContaining({ action: "create" })]);
  expect(at((await admin.get("/v1/admin/auth_providers/tracker")).body, "api_key")).toEqual(API_KEY);
});
