// The pages that a browser sees: their headers, their cookie, and that they work without a script.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { type Stage, startConsent, startStage } from "./stage";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'&`;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

let count = 0;

/** Opens a consent, of a new user unless one is named, up to the page of the user check. */
async function toCheck(body: object = {}) {
  count += 1;
  const browser = new Browser();
  const consent = await startConsent(stage, { user_id: `user${count}`, ...body });
  const page = await browser.open(await browser.toCallback(consent.url, "alice"));
  return { ...consent, browser, page };
}

const PAGES: [string, () => Promise<Response>, number][] = [
  ["an unknown address", () => fetch(`${stage.site.url}/authorize/unknown`), 404],
  ["an unknown callback", () => fetch(`${stage.site.url}/api/v1/oauth/unknown/callback?state=x&code=y`), 400],
  ["a callback without parameters", () => fetch(`${stage.site.url}/api/v1/oauth/unknown/callback`), 400],
  ["the user check", async () => (await toCheck()).page, 200],
  [
    "the end of a consent",
    async () => {
      const { browser, page } = await toCheck();
      return browser.answer(page, stage.site.url, "yes");
    },
    200,
  ],
  [
    "a refused consent",
    async () => {
      const { browser, page } = await toCheck();
      return browser.answer(page, stage.site.url, "no");
    },
    200,
  ],
  [
    "a form of another site",
    () =>
      fetch(`${stage.site.url}/authorize/x`, { method: "POST", headers: { origin: "https://evil.example" } }),
    403,
  ],
];

describe.each(PAGES)("the page of %s", (_what, open, status) => {
  test("loads nothing from outside, is not cached, and sends no referrer", async () => {
    const page = await open();
    expect(page.status).toBe(status);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ").map((rule) => rule.replace(/'sha256-[^']+'/, "HASH"))).toEqual([
      "default-src 'none'",
      "style-src HASH",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("x-request-id")).toBeTruthy();
  });

  test("is plain HTML: no script, nothing loaded, the style that the policy names", async () => {
    const page = await open();
    const policy = page.headers.get("content-security-policy") ?? "";
    const html = await page.text();
    expect(html).not.toMatch(
      /<script|javascript:|\son\w+=|<(img|iframe|link|object|embed)\b|\bsrc=|@import|url\(/i,
    );
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(policy).toContain(`'sha256-${hash}'`);
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).toContain("<h1>");
  });
});

describe("the user check", () => {
  test("says who is linked to what, with a form of its own", async () => {
    const { page, browser } = await toCheck({ user_id: "reader" });
    const html = await page.text();
    for (const text of [
      "reader",
      "Team chat (sandbox)",
      "See the people in your workspace <small>users:read</small>",
      "Yes, this is me",
      "No, do not link",
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toMatch(/<form method="post" action="\/authorize\/[\w-]{43}">/);
    expect(html.match(/<button[^>]* name="answer" value="(yes|no)"/g)).toHaveLength(2);
    expect(browser.cookie("runtime_consent")).toMatch(/^[\w-]{43}$/);
  });

  test("shows names as text, whatever they hold", async () => {
    const admin = api(stage.site.url, stage.keys.admin);
    await admin.patch("/v1/admin/auth_providers/slack", { description: HOSTILE });
    const html = await (await toCheck({ user_id: HOSTILE })).page.text();
    expect(html).not.toContain("<img");
    expect(html).not.toContain("<script");
    expect(html.split("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;")).toHaveLength(4);
  });

  test("names the project, and the host while the project has no name of its own", async () => {
    const { host } = new URL(stage.site.url);
    expect(await (await toCheck()).page.text()).toContain(`<dd>${host} <small>project default</small></dd>`);
    const admin = api(stage.site.url, stage.keys.admin);
    await admin.patch("/v1/admin/projects/default", { name: "Acme <Support>" });
    const { page, browser } = await toCheck();
    const html = await page.clone().text();
    expect(html).toContain(`<dd>Acme &lt;Support&gt; <small>at ${host}</small></dd>`);
    expect(html).toContain("<b>Acme &lt;Support&gt;</b> can act there for you");
    const end = await (await browser.answer(page, stage.site.url, "yes")).text();
    expect(end).toContain("go back to <b>Acme &lt;Support&gt;</b>");
  });

  test("names the platform when the provider has no description", async () => {
    const admin = api(stage.site.url, stage.keys.admin);
    await admin.patch("/v1/admin/auth_providers/slack", { description: "" });
    const html = await (await toCheck()).page.text();
    expect(html).toContain("link your account at <b>Slack</b>");
    expect(html).toContain("<dd>Slack</dd>");
  });

  test("is shown again to the browser that reloads it, at either address", async () => {
    const browser = new Browser();
    const { url } = await startConsent(stage, { user_id: "reload" });
    const callback = await browser.toCallback(url, "alice");
    const first = await (await browser.open(callback)).text();
    expect(await (await browser.open(callback)).text()).toBe(first);
    expect(await (await browser.open(url)).text()).toBe(first);
  });
});

describe("the cookie", () => {
  const cookieOf = async (site: Site, url: string): Promise<string> => {
    const path = new URL(url).pathname.replace(/^\/prefix/, "");
    const response = await fetch(site.url + path, { redirect: "manual" });
    expect(response.status).toBe(303);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    return response.headers.get("set-cookie") ?? "";
  };

  test("over http binds the browser, out of reach of scripts and of other sites' forms", async () => {
    const { url } = await startConsent(stage, { user_id: "cookie" });
    expect(await cookieOf(stage.site, url)).toMatch(
      /^runtime_consent=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/,
    );
  });

  test("over https is secure, and bound to the host by its name", async () => {
    const environment = {
      RUNTIME_PUBLIC_URL: "https://runtime.example/prefix",
      RUNTIME_SESSION_VERIFICATION: "page_only",
    };
    await using site = await startSite({ environment, chat: stage.site.chat });
    await site.addChatProvider();
    const agent = api(site.url, await site.key("run"));
    const { body } = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    const url = String(at(body, "url"));
    expect(url).toStartWith("https://runtime.example/prefix/authorize/");
    expect(await cookieOf(site, url)).toMatch(
      /^__Host-runtime_consent=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400; Secure$/,
    );
    // A proxy in front takes the prefix away; the form must bring the browser back through it.
    const browser = new Browser();
    const callback = new URL(
      await browser.toCallback(url.replace("https://runtime.example/prefix", site.url), "alice"),
    );
    const page = await browser.open(site.url + callback.pathname.replace(/^\/prefix/, "") + callback.search);
    expect(await page.text()).toContain(`action="${new URL(url).pathname}"`);
  });

  test("is kept by a browser that has one, so that two consents do not disturb each other", async () => {
    const browser = new Browser();
    await browser.open((await startConsent(stage, { user_id: "kept1" })).url);
    const first = browser.cookie("runtime_consent");
    await browser.open((await startConsent(stage, { user_id: "kept2" })).url);
    expect(browser.cookie("runtime_consent")).toBe(first ?? "none");
  });

  test("of a foreign form is not taken over", async () => {
    const { url } = await startConsent(stage, { user_id: "chosen" });
    for (const value of ["short", `${"x".repeat(43)}!`, "x".repeat(44), ""]) {
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie: `runtime_consent=${value}` },
      });
      expect(response.headers.get("set-cookie")).toMatch(/^runtime_consent=[\w-]{43};/);
      expect(response.headers.get("set-cookie")).not.toContain(`runtime_consent=${value};`);
    }
  });
});

describe("where the browser goes at the end", () => {
  const NEXT = "https://app.example/done?x=1&y='2'#there";

  test("is next_uri, by a page of ours, since policies judge redirects of forms", async () => {
    const { page, browser } = await toCheck({ user_id: "next1", next_uri: NEXT });
    const end = await browser.answer(page, stage.site.url, "yes");
    expect(end.status).toBe(200);
    expect(end.headers.get("refresh")).toBe(`0; url=${NEXT.replaceAll("'", "%27")}`);
    const html = await end.text();
    expect(html).toContain(`<a href="https://app.example/done?x=1&amp;y=%272%27#there">app.example</a>`);
  });

  test("is next_uri at once when the address is opened again later", async () => {
    const { page, browser, url } = await toCheck({ user_id: "next2", next_uri: NEXT });
    await browser.answer(page, stage.site.url, "yes");
    const again = await browser.open(url);
    expect(again.status).toBe(303);
    expect(again.headers.get("location")).toStartWith("https://app.example/done?x=1");
  });

  test("stays here when the consent failed", async () => {
    const { page, browser } = await toCheck({ user_id: "next3", next_uri: NEXT });
    const end = await browser.answer(page, stage.site.url, "no");
    expect(end.headers.get("refresh")).toBeNull();
    const html = await end.text();
    expect(html).toContain("Not connected");
    expect(html).toContain("You said that this is not you. Your account was not linked.");
    expect(html).not.toMatch(/the (person|user) |their account/);
    expect(html).not.toContain("app.example");
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example/x",
    "/relative",
    "app.example",
    "ftp://app.example/",
    "https://user:s3cr3t@app.example/",
    "https:app.example",
    "https://app.example\\@evil.example",
    "https://app.example/\nx",
    "https://",
    "",
    `https://app.example/${"x".repeat(2000)}`,
  ])("may not be %p", async (next_uri) => {
    const { answer } = await startConsent(stage, { user_id: "bad-next", next_uri });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text: answer.text });
    expect(at(answer.body, "message")).toContain("next_uri");
    expect(answer.text).not.toContain("s3cr3t");
  });

  test("may be held to a list of hosts", async () => {
    const environment = { RUNTIME_REDIRECTS_ALLOW: "app.example" };
    await using site = await startSite({ environment, chat: stage.site.chat });
    await site.addChatProvider();
    const agent = api(site.url, await site.key("run"));
    const request = { tool_name: "Chat.WhoAmI", user_id: "alice" };
    const status = async (next_uri: string) =>
      (await agent.post("/v1/tools/authorize", { ...request, next_uri })).status;
    expect(await status("https://app.example/x")).toBe(200);
    expect(await status("https://evil.example/x")).toBe(400);
    expect(await status("https://app.example.evil.example/x")).toBe(400);
  });
});
