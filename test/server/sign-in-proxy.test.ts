// People whom a reverse proxy names in a header.
import { describe, expect, test } from "bun:test";
import { titleOf } from "../interop/oidc/consent";
import { personIn, SESSION } from "../people/signing-in";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";

const HEADER = "x-forwarded-user";

/** The peer of all requests of the tests is the trusted proxy, unless `trusted` names another. */
function startProxied(environment: Record<string, string> = {}, trusted = "127.0.0.1"): Promise<Site> {
  return startSite({
    environment: { RUNTIME_SIGN_IN: "proxy", RUNTIME_HTTP_TRUSTED_PROXIES: trusted, ...environment },
  });
}

function visit(site: Site, browser: Browser, headers: Record<string, string>, path = "/sign-in?to=/docs") {
  return browser.open(site.url + path, { headers });
}

describe("a person whom the proxy names", () => {
  test("is signed in at once", async () => {
    await using site = await startProxied();
    const browser = new Browser();
    const answer = await visit(site, browser, { [HEADER]: "alice" });

    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${site.url}/docs`]);
    expect(await personIn({ site }, browser)).toBe("alice");
  });

  test.each<[string, string, string]>([
    ["in UTF-8", Buffer.from("zoë").toString("latin1"), "zoë"],
    ["in Latin-1", "zo\u00eb", "zoë"],
    ["as the subject of a certificate", "CN=alice,O=acme", "CN=alice,O=acme"],
  ])("%s is that user", async (_how, value, user) => {
    await using site = await startProxied();
    const browser = new Browser();
    await visit(site, browser, { [HEADER]: value });

    expect(await personIn({ site }, browser)).toBe(user);
  });

  test("may be named in another header", async () => {
    await using site = await startProxied({ RUNTIME_HTTP_USER_HEADER: "Remote-User" });
    const browser = new Browser();
    await visit(site, browser, { "remote-user": "alice", [HEADER]: "mallory" });

    expect(await personIn({ site }, browser)).toBe("alice");
  });

  test("has the groups and the role that the proxy says", async () => {
    await using site = await startProxied({
      RUNTIME_HTTP_GROUPS_HEADER: "x-groups",
      RUNTIME_AUTH_ROLES: JSON.stringify([{ group: "ops", role: "admin" }]),
    });
    const { people } = site.runtime;
    await visit(site, new Browser(), { [HEADER]: "alice", "x-groups": "users, ops,ops" });
    await visit(site, new Browser(), { [HEADER]: "bob", "x-groups": "(null)" });

    expect(await people.groupsOf("default", "alice")).toEqual(["users", "ops"]);
    expect(await people.roleOf("default", "alice")).toBe("admin");
    expect(await people.groupsOf("default", "bob")).toEqual([]);
  });
});

describe("no one is signed in", () => {
  test.each<[string, Record<string, string>]>([
    ["without the header", {}],
    ["with an empty header", { [HEADER]: " " }],
    ["with what Apache writes for a variable without a value", { [HEADER]: "(null)" }],
  ])("%s, and the page says which one is missing", async (_what, headers) => {
    await using site = await startProxied();
    const browser = new Browser();
    const page = await visit(site, browser, headers);

    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining(HEADER)]);
    expect(browser.cookie(SESSION)).toBeUndefined();
  });

  test.each<[string, string]>([
    ["two values, as two headers are joined", "mallory, alice"],
    ["an invisible character", Buffer.from("ali\u200bce").toString("latin1")],
    ["more than 256 characters", "a".repeat(257)],
  ])("with %s", async (_what, value) => {
    await using site = await startProxied();
    const browser = new Browser();
    const page = await visit(site, browser, { [HEADER]: value });

    expect([page.status, await titleOf(page)]).toEqual([401, "You cannot sign in"]);
    expect(browser.cookie(SESSION)).toBeUndefined();
  });
});

describe("a session", () => {
  test("ends when the proxy names another person", async () => {
    await using site = await startProxied();
    const browser = new Browser();
    await visit(site, browser, { [HEADER]: "alice" });
    const answer = await visit(site, browser, { [HEADER]: "bob" });

    expect(answer.status).toBe(303);
    expect(await personIn({ site }, browser)).toBe("bob");
    expect(await site.runtime.sessions.list("default", "alice")).toEqual([]);
  });

  test("does not count for a request without the header", async () => {
    await using site = await startProxied();
    const browser = new Browser();
    await visit(site, browser, { [HEADER]: "alice" });

    expect((await visit(site, browser, {})).status).toBe(401);
    expect((await visit(site, browser, { [HEADER]: "alice" })).status).toBe(303);
  });
});

describe("a header that does not come from a trusted proxy", () => {
  test("is refused, with a line in the log", async () => {
    await using site = await startProxied({}, "10.0.0.1");
    const browser = new Browser();
    const page = await visit(site, browser, { [HEADER]: "alice", "x-forwarded-for": "10.0.0.1" });

    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining("http.trusted_proxies")]);
    expect(browser.cookie(SESSION)).toBeUndefined();
    expect(site.logLines.join("\n")).toContain("untrusted_proxy");
    expect(site.logLines.join("\n")).not.toContain("alice");
  });

  test("is refused with the cookie of a session, too", async () => {
    await using proxied = await startProxied();
    const browser = new Browser();
    await visit(proxied, browser, { [HEADER]: "alice" });
    const cookie = `${SESSION}=${browser.cookie(SESSION)}`;
    await using direct = await startSite({
      folder: proxied.folder,
      environment: { RUNTIME_SIGN_IN: "proxy", RUNTIME_HTTP_TRUSTED_PROXIES: "10.0.0.1" },
    });

    for (const headers of [{ cookie }, { cookie, [HEADER]: "alice" }]) {
      const answer = await fetch(`${direct.url}/sign-in?to=/docs`, { headers, redirect: "manual" });
      expect(answer.status).toBe(401);
    }
  });

  test("has no effect where people sign in in another way", async () => {
    await using site = await startSite();
    const page = await fetch(`${site.url}/sign-in`, { headers: { [HEADER]: "alice" } });

    expect(page.status).toBe(404);
  });
});
