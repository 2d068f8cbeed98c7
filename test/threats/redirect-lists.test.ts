// Lists of addresses to which browsers may be sent, and of pages that may call: whole origins are compared.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { api } from "../support/api";
import { type Site, startSite } from "../support/site";
import { printFigure } from "./figure";

const LISTED = ["https://app.example", "https://app.example:8443", "http://127.0.0.1:3000", "bare.example"];
const PAGE = "https://page.example:8443";

const ON_THE_LIST = [
  "https://app.example/done",
  "https://app.example:443/done",
  "https://APP.example/done?x=1",
  "https://app.example:8443/done",
  "http://127.0.0.1:3000/done",
  "https://bare.example/done",
];
const OFF_THE_LIST = [
  "http://app.example/done",
  "http://app.example:443/done",
  "https://app.example:80/done",
  "https://app.example:8444/done",
  "http://app.example:8443/done",
  "http://127.0.0.1/done",
  "http://127.0.0.1:3001/done",
  "https://127.0.0.1:3000/done",
  "http://localhost:3000/done",
  "http://bare.example/done",
  "https://bare.example:8443/done",
  "https://sub.bare.example/done",
  "https://app.example.evil.example/done",
  "https://evil.example/?https://app.example",
  "https://app.example@evil.example/done",
  "https://app.example:8443@evil.example/done",
  "https://app.example./done",
];

let site: Site;
let keys: { admin: string; run: string };
let refused = 0;

beforeAll(async () => {
  site = await startSite({
    environment: { RUNTIME_REDIRECTS_ALLOW: LISTED.join(","), RUNTIME_CORS_ALLOW: PAGE },
  });
  await site.addChatProvider();
  keys = { admin: await site.key("admin"), run: await site.key("run") };
});
afterAll(async () => {
  printFigure("redirect lists", `${refused} foreign origins refused, none accepted`);
  await site[Symbol.asyncDispose]();
});

/** Every place that takes an address for a browser. */
const DOORS: readonly (readonly [string, (address: string) => Promise<{ status: number }>])[] = [
  [
    "next_uri of a consent",
    (next_uri) =>
      api(site.url, keys.run).post("/v1/tools/authorize", {
        tool_name: "Chat.WhoAmI",
        user_id: "alice",
        next_uri,
      }),
  ],
  [
    "next_uri of an auth requirement",
    (next_uri) =>
      api(site.url, keys.run).post("/v1/auth/authorize", {
        auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } },
        user_id: "alice",
        next_uri,
      }),
  ],
  [
    "verifier_url of a project",
    (verifier_url) =>
      api(site.url, keys.admin).put("/v1/admin/settings/session_verification", { verifier_url }),
  ],
  [
    "verifier_url of a test",
    (verifier_url) =>
      api(site.url, keys.admin).post("/v1/auth/validate_custom_verifier", { verifier_url, user_id: "alice" }),
  ],
];

test.each(DOORS)("%s: an origin on the list", async (_name, send) => {
  for (const address of ON_THE_LIST) expect([address, (await send(address)).status]).toEqual([address, 200]);
});

test.each(DOORS)("%s: another scheme, host or port is refused", async (_name, send) => {
  for (const address of OFF_THE_LIST) {
    expect([address, (await send(address)).status]).toEqual([address, 400]);
    refused++;
  }
});

test.each([
  "http://page.example:8443",
  "https://page.example",
  "https://page.example:8444",
  "https://sub.page.example:8443",
  "null",
])("a page of %s may not read answers", async (origin) => {
  const headers = { origin, authorization: `Bearer ${keys.run}` };
  const answer = await fetch(`${site.url}/v1/tools`, { headers });

  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  refused++;
});

test("positive control: the listed page may", async () => {
  const headers = { origin: PAGE, authorization: `Bearer ${keys.run}` };
  const answer = await fetch(`${site.url}/v1/tools`, { headers });

  expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
});

test.each(["https://app.example/path", "https://user@app.example", "a b"])(
  "the entry %p prevents the start",
  async (entry) => {
    const started = startSite({ chat: site.chat, environment: { RUNTIME_REDIRECTS_ALLOW: entry } });

    await expect(started).rejects.toThrow("redirects.allow");
  },
);
