// Attempts to send a browser somewhere else: by next_uri, by a verifier's address, by what is added to the addresses of
// a consent. With a list in redirects.allow nothing leads off it; without one, nothing passes that is no plain address.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiAnswer, api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { head, type RawAnswer, sendRaw } from "../server/raw";
import { HARMLESS, NEVER, OFF_THE_LIST } from "./redirect-attacks";

const LISTED = "app.example";
const SETTINGS = "/v1/admin/settings/session_verification";

let open: Site;
let pinned: Site;
let keys: Map<Site, string>;

beforeAll(async () => {
  open = await startSite();
  pinned = await startSite({ chat: open.chat, environment: { RUNTIME_REDIRECTS_ALLOW: LISTED } });
  keys = new Map();
  for (const site of [open, pinned]) {
    await site.addChatProvider();
    keys.set(site, await site.key("admin"));
  }
});
afterAll(async () => {
  await pinned[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

let users = 0;

/** Every place where somebody may name an address for a browser. */
const DOORS: readonly (readonly [string, (site: Site, address: string) => Promise<ApiAnswer>])[] = [
  [
    "next_uri of auth/authorize",
    (site, next_uri) => {
      const auth_requirement = { id: "slack", oauth2: { scopes: ["users:read"] } };
      const body = { auth_requirement, user_id: `user${users++}`, next_uri };
      return client(site).post("/v1/auth/authorize", body);
    },
  ],
  [
    "next_uri of tools/authorize",
    (site, next_uri) => {
      const body = { tool_name: "Chat.WhoAmI", user_id: `user${users++}`, next_uri };
      return client(site).post("/v1/tools/authorize", body);
    },
  ],
  ["verifier_url of the settings", (site, verifier_url) => client(site).put(SETTINGS, { verifier_url })],
  [
    "verifier_url of validate_custom_verifier",
    (site, verifier_url) =>
      client(site).post("/v1/auth/validate_custom_verifier", { verifier_url, user_id: "alice" }),
  ],
];

function client(site: Site): ReturnType<typeof api> {
  return api(site.url, keys.get(site));
}

/** Which doors let it through, and what that answered. */
async function passed(site: Site, address: string): Promise<string[]> {
  const through: string[] = [];
  for (const [door, knock] of DOORS) {
    const { status, text, body } = await knock(site, address);
    // An empty text in the settings means none, as null does.
    if (status === 200 && at(body, "verifier_url") === null) continue;
    if (status !== 400 || text.includes("evil.example")) through.push(`${door}: ${status} ${text}`);
  }
  await client(site).put(SETTINGS, { verifier_url: null });
  return through;
}

test("there are more than 60 attacks, each another one", () => {
  const all = [...NEVER, ...OFF_THE_LIST];
  expect(new Set(all).size).toBe(all.length);
  expect(NEVER.length).toBeGreaterThan(60);
  process.stdout.write(
    `${NEVER.length} + ${OFF_THE_LIST.length} redirect attacks at ${DOORS.length} doors\n`,
  );
});

describe("no address at all, and no door takes it, with a list or without:", () => {
  test.each(NEVER.map((address) => [JSON.stringify(address), address]))("%s", async (_shown, address) => {
    expect([await passed(open, address), await passed(pinned, address)]).toEqual([[], []]);
  });
});

describe("an address off the list, and no door takes it where there is one:", () => {
  test.each(OFF_THE_LIST.map((address) => [JSON.stringify(address), address]))(
    "%s",
    async (_shown, address) => {
      expect(await passed(pinned, address)).toEqual([]);
    },
  );
});

describe("it looks bad and leads to the list; the browser is sent to that host and no other:", () => {
  test.each(HARMLESS.map((address) => [JSON.stringify(address), address]))("%s", async (_shown, address) => {
    const user_id = `user${users++}`;
    const started = await client(pinned).post("/v1/tools/authorize", {
      tool_name: "Chat.WhoAmI",
      user_id,
      next_uri: address,
    });
    expect(started.status).toBe(200);
    const last = await new Browser().consent(String(at(started.body, "url")), "alice");
    const refresh = last.headers.get("refresh") ?? "";
    const target = new URL(refresh.replace("0; url=", ""));

    expect([target.hostname, target.username, target.protocol]).toEqual([LISTED, "", "https:"]);
    // What is in the header is already the plain form: nothing is left to be understood in two ways.
    expect(refresh).toBe(`0; url=${target.href}`);
    expect([last.headers.get("location"), last.headers.get("x-evil")]).toEqual([null, null]);
  });
});

const AIMS = ["https://evil.example/", "//evil.example", "javascript:alert(1)//evil.example"];
const NAMES = [
  "next_uri",
  "redirect_uri",
  "next",
  "url",
  "return_to",
  "verifier_url",
  "target",
  "iss",
  "error_uri",
];
const ADDED = NAMES.flatMap((name) => AIMS.map((aim) => `${name}=${encodeURIComponent(aim)}`));

describe("what is added to the addresses of a consent leads nowhere:", () => {
  test.each(ADDED)("%s", async (added) => {
    const started = await client(open).post("/v1/tools/authorize", {
      tool_name: "Chat.WhoAmI",
      user_id: `user${users++}`,
    });
    const browser = new Browser();
    const address = String(at(started.body, "url"));
    const opened = await browser.open(`${address}?${added}`);
    const provider = new URL(opened.headers.get("location") ?? "");
    expect([provider.origin, provider.href.includes("evil.example")]).toEqual([open.chat.url, false]);
    const callback = await browser.toCallback(address, "alice");
    const page = await browser.open(`${callback}&${added}`);
    const shown = await page.clone().text();
    const answered = await browser.answer(page, open.url, "yes");

    for (const response of [page, answered]) {
      expect([response.headers.get("location"), response.headers.get("refresh")]).toEqual([null, null]);
    }
    expect(shown + (await answered.text())).not.toContain("evil.example");
  });
});

const PATHS = [
  "//evil.example/",
  "//evil.example/%2f..",
  "/\\evil.example",
  "/authorize//evil.example",
  "/authorize/%2f%2fevil.example",
  "/authorize/https:%2f%2fevil.example",
  "/authorize/..//evil.example/",
  "/authorize/%5c%5cevil.example",
  "/authorize/x%0d%0aLocation:%20https://evil.example",
  "/api/v1/oauth//evil.example/callback?state=x&code=x",
  "/api/v1/oauth/%2f%2fevil.example/callback?state=x&code=x",
  "/api/v1/oauth/x/callback?state=x&code=x%0d%0aLocation:%20https://evil.example",
  "/api/v1/oauth/x/callback?error=x&error_uri=https://evil.example&error_description=https://evil.example",
  "/api/v1/oauth/x/callback?error=%22%3E%3Ca%20href=https://evil.example%3E&state=x",
  "/api/v1/auth/callback?state=https://evil.example&code=x",
  "/google/drive_picker?config=https://evil.example",
  "http://evil.example/authorize/x",
  "https://evil.example//api/v1/auth/callback",
];

describe("a path that names another site does not redirect to it: [fault: html-in-error]", () => {
  test.each(PATHS)("%s", async (path) => {
    expect(leadsAway(await sendRaw(open.url, [head("GET", path)]))).toEqual([]);
  });
});

describe("a header that speaks of another site does not either:", () => {
  test.each<[string, string]>([
    ["host", "evil.example"],
    ["x-forwarded-host", "evil.example"],
    ["x-forwarded-proto", "javascript"],
    ["forwarded", "host=evil.example;proto=https"],
    ["x-original-url", "https://evil.example/"],
    ["x-rewrite-url", "//evil.example"],
    ["referer", "https://evil.example/"],
    ["origin", "https://evil.example"],
  ])("%s: %s", async (name, value) => {
    const started = await client(open).post("/v1/tools/authorize", {
      tool_name: "Chat.WhoAmI",
      user_id: `user${users++}`,
    });
    const { pathname } = new URL(String(at(started.body, "url")));
    const answer = await sendRaw(open.url, [head("GET", pathname, { [name]: value })]);
    const location = /^location: (.*)$/im.exec(answer.head)?.[1] ?? "";

    expect(leadsAway(answer)).toEqual([]);
    // To the provider, with our own address to come back to.
    const back = new URL(location).searchParams.get("redirect_uri") ?? "";
    expect([new URL(location).origin, new URL(back).origin]).toEqual([open.chat.url, open.url]);
  });
});

/** Lines of the answer that name the other site. */
function leadsAway({ head: lines, body }: RawAnswer): string[] {
  return [...lines.split("\r\n"), body].filter((line) => line.includes("evil.example"));
}
