// The page of a signed-in person: what it shows, to whom, and that it is bounded, safe in frames and works without a script.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { api } from "../support/api";
import { testOnSqlite } from "../support/on-sqlite";
import { type Site, startSite } from "../support/site";
import {
  allowClient,
  FIREFOX,
  invite,
  linkAccount,
  PEOPLE,
  type PersonBrowser,
  signInBrowser,
} from "./person";
import { databaseOf, type Stage, startStage } from "./stage";

let stage: Stage;
let site: Site;
let alice: PersonBrowser;
beforeAll(async () => {
  stage = await startStage({ environment: PEOPLE });
  ({ site } = stage);
  await linkAccount(site, "alice");
  const agent = api(site.url, stage.keys.admin);
  await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
  await agent.post("/v1/tools/execute", {
    tool_name: "Chat.WhoAmI",
    user_id: "alice",
    run_at: "2999-01-02T03:04:05",
  });
  const operator = await site.runtime.identity.operator("default");
  const { id } = await site.runtime.gateways.create(operator, {
    name: "Support",
    slug: "support",
    auth_type: "arcade_header",
  });
  await allowClient(site, { userId: "alice", name: "Desk", gateway: id });
  await allowClient(site, { userId: "alice", clientId: "https://tools.example/client.json", name: "" });
  alice = await signInBrowser(site, "alice");
});
afterAll(() => stage[Symbol.asyncDispose]());

const page = async (browser = alice, path = "/me"): Promise<string> => (await browser.open(path)).text();
/** Without tags, so that an assertion reads as a person does. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<style>[^]*?<\/style>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("the page shows", () => {
  test("who the person is", async () => {
    expect(textOf(await page())).toContain("You are alice (member) in the project default .");
  });

  test("the role of the person", async () => {
    await invite(site, { userId: "root", role: "admin" });
    expect(textOf(await page(await signInBrowser(site, "root")))).toContain("You are root (admin) in");
  });

  test("a connection with its account, its scopes in words, and when it was used", async () => {
    const text = textOf(await page());
    for (const part of [
      "Team chat (sandbox) Account T0",
      "See the people in your workspace users:read",
      "Disconnect Team chat (sandbox)",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/Since \d+ \w+ \d{4}, \d\d:\d\d UTC Last used \d+ \w+ \d{4}/);
  });

  test("the clients, by the name that they have given or the host of their document", async () => {
    const text = textOf(await page());
    for (const part of [
      "Desk at Support",
      "the gateway Support /mcp/support",
      "Call the tools of this gateway as you",
      "tools.example",
      "the API of the project",
      "Revoke Desk at Support",
    ])
      expect(text).toContain(part);
  });

  test("the browsers, with this one marked, which only the button at the top signs out", async () => {
    const phone =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1";
    const other = await signInBrowser(site, "alice", "default", phone);
    const text = textOf(await page());
    expect(text).toContain("Firefox on Linux (this browser)");
    expect(text).toContain("Sign out Safari on iPhone, signed in");
    expect(text).toContain("Sign out everywhere else");
    expect(text).not.toContain("Sign out Firefox");
    expect(textOf(await page(other))).toContain("Safari on iPhone (this browser)");
  });

  test("scheduled runs that have not ended, and the newest runs", async () => {
    const text = textOf(await page());
    expect(text).toContain("Cancel Chat.WhoAmI, due 2999-01-02 03:04");
    expect(text).toMatch(/Chat\.WhoAmI@[\d.]+ : completed/);
  });

  test("times that programs can read, in UTC", async () => {
    expect(await page()).toContain('<time datetime="2999-01-02T03:04:05.000Z">2 Jan 2999, 03:04 UTC</time>');
  });

  test("nothing of another person, and nothing of the same user in another project", async () => {
    const bob = textOf(await page(await signInBrowser(site, "bob")));
    const elsewhere = textOf(await page(await signInBrowser(site, "alice", "other"), "/me/other"));
    for (const text of [bob, elsewhere]) {
      for (const none of [
        "You have no connections.",
        "No client acts for you.",
        "Nothing is scheduled.",
        "No tool has run",
      ])
        expect(text).toContain(none);
      expect(text).not.toContain("Team chat");
    }
    expect(elsewhere).toContain("in the project Other .");
  });
});

describe("the page is safe", () => {
  test("it has no script, cannot be framed, is not stored and sends its forms only here", async () => {
    const response = await alice.open("/me");
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? "";
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(html).not.toMatch(/<script|\son\w+=|<(img|iframe|link|object)\b|\bsrc=|@import|url\(/i);
  });

  test("names that others have chosen are text", async () => {
    const hostile = '"><img src=x onerror=alert(1)>\u202Etxt';
    await allowClient(site, { userId: "mallory", name: hostile, clientId: hostile });
    const html = await page(await signInBrowser(site, "mallory"));
    expect(html).not.toContain("<img");
    expect(html).not.toContain("\u202E");
    expect(html).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
  });

  test("a notice is one of ours, whatever the address says", async () => {
    expect(textOf(await page(alice, "/me?done=disconnected"))).toContain(
      "Disconnected. Tools can no longer act",
    );
    for (const code of ["<b>bold</b>", "constructor", "You+must+call+555"])
      expect(await page(alice, `/me?done=${code}`)).not.toContain('role="status"');
  });

  test("every button says what it does, and every heading is in its section", async () => {
    const html = await page();
    const buttons = [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map((match) => match[1] ?? "");
    expect(buttons.length).toBeGreaterThan(4);
    expect(buttons.filter((text) => !/^(Disconnect|Revoke|Sign out|Cancel) \S/.test(text))).toEqual([]);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    const sections = [...html.matchAll(/<section aria-labelledby="(\w+)"><h2 id="(\w+)">/g)];
    expect(sections).toHaveLength(6);
    expect(sections.every(([, label, id]) => label === id)).toBe(true);
  });
});

describe("long lists", () => {
  test("show 20, and more if asked", async () => {
    for (let number = 0; number < 25; number += 1)
      await allowClient(site, { userId: "busy", name: `client ${number}` });
    const busy = await signInBrowser(site, "busy");
    const few = await page(busy);
    expect(few.match(/Revoke client/g)).toHaveLength(20);
    expect(few).toContain('<a href="/me?all=clients#clients">Show more clients</a>');
    expect((await page(busy, "/me?all=clients")).match(/Revoke client/g)).toHaveLength(25);
  });

  test("of runs go on by a link to older ones", async () => {
    await linkAccount(site, "runner");
    const agent = api(site.url, stage.keys.admin);
    for (let number = 0; number < 23; number += 1)
      await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "runner" });
    const runner = await signInBrowser(site, "runner");
    const first = await page(runner);
    expect(first.match(/<\/b>: completed/g)).toHaveLength(20);
    const older = /href="(\/me\?before=[\w-]+)#runs"/.exec(first)?.[1] ?? "";
    const second = await page(runner, older);
    expect(second.match(/<\/b>: completed/g)).toHaveLength(3);
    expect(second).toContain("Show the newest runs");
    expect(second).not.toContain("Show older runs");
  });
});

describe("somebody who is not signed in", () => {
  const locationOf = async (path: string, init: RequestInit = {}) => {
    const { status, headers } = await fetch(site.url + path, { redirect: "manual", ...init });
    return [status, headers.get("location")];
  };

  test.each([
    ["/me", "project=default&to=%2Fme"],
    ["/me/other", "project=other&to=%2Fme%2Fother"],
  ])("is sent from %s to the sign-in", async (path, query) => {
    expect(await locationOf(path)).toEqual([303, `/sign-in?${query}`]);
    expect(await locationOf(path, { method: "POST", body: "action=sign_out_elsewhere" })).toEqual([
      303,
      `/sign-in?${query}`,
    ]);
  });

  test("is sent there with the session of another project, and with one that has ended", async () => {
    const { cookie, send } = await signInBrowser(site, "alice", "other");
    expect(await locationOf("/me", { headers: { cookie } })).toEqual([
      303,
      "/sign-in?project=default&to=%2Fme",
    ]);
    await send({ project: "other" }, { path: "/sign-out" });
    expect((await locationOf("/me/other", { headers: { cookie } }))[0]).toBe(303);
  });

  test("gets a page that says so where people do not sign in, and for a project that does not exist", async () => {
    await using closed = await startSite();
    const addresses = ["/me", "/me/default"].map((path) => closed.url + path);
    for (const address of [
      ...addresses,
      `${site.url}/me/unknown`,
      `${site.url}/me/a%26b%2Fc`,
      `${site.url}/me/%ff`,
    ]) {
      const response = await fetch(address, { redirect: "manual" });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("People do not sign in here");
    }
  });
});

test("the session of a browser counts, and nothing else that the request names", async () => {
  const key = await site.key("admin");
  const response = await fetch(`${site.url}/me`, {
    redirect: "manual",
    headers: { authorization: `Bearer ${key}`, "x-user-id": "alice", "user-agent": FIREFOX },
  });
  expect(response.status).toBe(303);
});

testOnSqlite("the page works while another process holds the lock of the database", async () => {
  // The last use is noted once a minute.
  stage.clock.move(60_000);
  using other = new Database(databaseOf(site));
  other.run("BEGIN IMMEDIATE");
  const response = await Promise.race([alice.open("/me"), Bun.sleep(3000)]);
  other.run("ROLLBACK");
  expect(response?.status).toBe(200);
});

test("behind a proxy with a path prefix, links and forms have the prefix, and the return path has none", async () => {
  await using proxied = await startSite({
    environment: {
      ...PEOPLE,
      RUNTIME_PUBLIC_URL: "https://tools.example/prefix",
      RUNTIME_MCP_ALLOWED_HOSTS: "127.0.0.1",
    },
  });
  const html = await (await (await signInBrowser(proxied, "alice")).open("/me")).text();
  const actions = [...html.matchAll(/(?:action|href)="([^"]+)"/g)].map(([, address = ""]) => address);
  expect(actions.length).toBeGreaterThanOrEqual(2);
  expect(actions.filter((address) => !address.startsWith("/prefix/"))).toEqual([]);
  const sent = await fetch(`${proxied.url}/me`, { redirect: "manual" });
  expect(sent.headers.get("location")).toBe("/prefix/sign-in?project=default&to=%2Fme");
});
