// One-time links where passkeys cannot work, and where they do.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { relyingPartyOf } from "../../src/people";
import { Browser } from "../support/browser";
import { type PasskeySite, startPasskeySite } from "./stage";

let stage: PasskeySite;
beforeAll(async () => {
  stage = await startPasskeySite({ RUNTIME_PUBLIC_URL: "http://192.0.2.7:8080" });
});
afterAll(() => stage[Symbol.asyncDispose]());

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The page of a link, and its form. */
async function opened(link: string, browser = new Browser()) {
  const address = stage.site.url + new URL(link).pathname;
  const page = await browser.open(address);
  const html = await page.text();
  const check = /name="check" value="([^"]+)"/.exec(html)?.[1] ?? "";
  return {
    html,
    status: page.status,
    press: (headers: Record<string, string> = {}, by = browser, sent = check) =>
      by.open(address, {
        method: "POST",
        headers: { ...FORM, ...headers },
        body: new URLSearchParams({ check: sent }).toString(),
      }),
    browser,
  };
}

describe("at an IP address", () => {
  test("an invitation is a sign-in link of 15 minutes, and says why", async () => {
    const { kind, link = "", expires_at = "", note } = await stage.invite();

    expect(kind).toBe("session");
    expect(link).toStartWith("http://192.0.2.7:8080/sign-in/link/");
    expect(Date.parse(expires_at) - stage.clock.now()).toBeLessThanOrEqual(15 * 60_000);
    expect(note).toContain("IP address 192.0.2.7");
  });

  test("the link signs in once, without script", async () => {
    const { link = "" } = await stage.invite({ role: "auditor", name: "Alice <b>" });
    const page = await opened(link);
    expect(page.html).toContain("Alice &lt;b&gt;");
    expect(page.html).not.toContain("<script");

    const answer = await page.press();
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/me"]);
    const found = await stage.site.runtime.sessions.find(
      "default",
      page.browser.cookie("runtime_session_default"),
    );
    expect(found).toMatchObject({ userId: "alice", method: "link" });
    expect((await page.press()).status).toBe(404);
  });

  test("is not used up by pages that are fetched in advance", async () => {
    const { link = "" } = await stage.invite();
    for (let scanner = 0; scanner < 3; scanner++) await opened(link);
    expect((await (await opened(link)).press()).status).toBe(303);
  });

  test("is in no line of the log, which is at level debug", async () => {
    const { link = "" } = await stage.invite();
    await (await opened(link)).press();
    const token = new URL(link).pathname.split("/").at(-1) ?? "";
    expect(stage.site.logLines.filter((line) => line.includes(token))).toEqual([]);
    expect(stage.site.logLines.length).toBeGreaterThan(0);
  });

  test("does not work after 15 minutes", async () => {
    const { link = "" } = await stage.invite();
    const page = await opened(link);
    stage.clock.move(15 * 60_000);
    expect((await page.press()).status).toBe(404);
    expect((await opened(link)).status).toBe(404);
  });

  test("works for the browser that opened its page only: another site could send the form", async () => {
    const { link = "" } = await stage.invite();
    const page = await opened(link);
    expect((await page.press({ origin: "https://evil.example" })).status).toBe(403);
    expect((await page.press({}, new Browser())).status).toBe(403);
    expect((await page.press({}, page.browser, "made up")).status).toBe(403);
    const attacker = await opened(link);
    expect((await attacker.press({}, page.browser)).status).toBe(403);
    expect((await page.press({ origin: "null" })).status).toBe(303);
  });

  test("is refused for a suspended person, and sets no passkey", async () => {
    const { users } = stage.site.runtime;
    await users.suspend(stage.operator, "carol");
    const { link = "" } = await stage.invite({ user_id: "carol" });
    const refused = await (await opened(link)).press();
    expect([refused.status, (await refused.text()).includes("suspended")]).toEqual([403, true]);
    await users.resume(stage.operator, "carol");
    expect((await stage.person().accept(link)).status).not.toBe(200);
  });

  test("the sign-in page says what to do", async () => {
    const page = await fetch(`${stage.site.url}/sign-in/passkey`);
    expect(await page.text()).toContain("ask an administrator for a sign-in link");
  });
});

test("over https, below the path of a proxy, all addresses and cookies are those of the server", async () => {
  await using proxied = await startPasskeySite({ RUNTIME_PUBLIC_URL: "https://runtime.example/base" });
  const { link = "" } = await proxied.invite();
  expect(link).toStartWith("https://runtime.example/base/sign-in/link/");
  const own = link.replace("/base", "");
  const page = await (await fetch(proxied.site.url + new URL(own).pathname)).text();
  const alice = proxied.person();

  expect(page).toContain('src="/base/sign-in/passkey.js"');
  expect(await alice.accept(own)).toMatchObject({ status: 200, body: { to: "/base/me" } });
  expect((await alice.signIn()).status).toBe(200);
  expect(alice.browser.cookie("__Host-runtime_session_default")).toBeDefined();
  expect((await alice.signIn("default", { origin: "http://runtime.example" })).status).toBe(403);
});

describe("who can be invited", () => {
  test("keeps role and name when invited again", async () => {
    await stage.invite({ user_id: "dora", role: "approver", name: "Dora" });
    expect(await stage.invite({ user_id: "dora" })).toMatchObject({ role: "approver" });
    const { items } = await stage.site.runtime.users.list(stage.operator, { user_id: "dora" });
    expect(items).toMatchObject([{ role: "approver", name: "Dora", passkeys: 0, sessions: 0, clients: 0 }]);
  });

  test("is a person of one project only", async () => {
    await stage.invite({ user_id: "erin" });
    const { invitations, identity } = stage.site.runtime;
    const other = await identity.operator("other");
    await expect(invitations.update(other, { user_id: "erin", role: "admin" })).rejects.toThrow("no person");
    await expect(invitations.remove(other, "erin")).rejects.toThrow("no person");
  });

  test.each(["", " ", "\u0000", "x".repeat(257)])("refuses the id %j", async (user_id) => {
    await expect(stage.invite({ user_id })).rejects.toThrow();
  });
});

describe("the relying party", () => {
  test.each([
    ["https://runtime.example", "runtime.example", "https://runtime.example"],
    ["https://runtime.example:8443/base", "runtime.example", "https://runtime.example:8443"],
    ["http://localhost:8080", "localhost", "http://localhost:8080"],
    ["http://127.0.0.1:8080", "localhost", "http://localhost:8080"],
    ["http://[::1]:8080", "localhost", "http://localhost:8080"],
    ["https://127.0.0.1", "localhost", "https://localhost"],
    ["http://app.localhost:8080", "app.localhost", "http://app.localhost:8080"],
  ])("of %s is %s", (publicUrl, id, origin) => {
    expect(relyingPartyOf(publicUrl)).toEqual({ id, origin });
  });

  test.each([
    "http://192.0.2.7",
    "https://192.0.2.7:8443",
    "https://[2001:db8::1]",
    "http://127.0.0.2:8080",
    "http://runtime.example",
  ])("does not exist for %s", (publicUrl) => {
    expect(relyingPartyOf(publicUrl)).toHaveProperty("reason");
  });
});
