// The pages of the sign-in, at an OpenID provider.
import { describe, expect, test } from "bun:test";
import { titleOf } from "../interop/oidc/consent";
import { signInAs } from "../interop/oidc/sign-in";
import { startSignInSite } from "../interop/oidc/site";
import { formTokenOf, personIn, send, SESSION, signIn, started } from "../people/signing-in";
import { Browser } from "../support/browser";
import { startSite } from "../support/site";

describe("the page of the sign-in", () => {
  test("sends the browser to the provider with our client, and nothing of the target can be read there", async () => {
    await using deployment = await startSignInSite();
    const address = new URL(await started(deployment, new Browser(), "?to=/docs/secret-place"));

    expect(address.origin).toBe(deployment.provider.url);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: "runtime",
      redirect_uri: `${deployment.site.url}/sign-in/callback`,
      response_type: "code",
      scope: "openid",
      code_challenge_method: "S256",
    });
    expect(address.href).not.toContain("secret-place");
  });

  test("signs the person in, and goes on to the page that was wanted", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    const end = await signIn(deployment, browser, "alice", "?to=/docs");

    expect([end.status, end.headers.get("location")]).toEqual([303, `${deployment.site.url}/docs`]);
    expect(await personIn(deployment, browser)).toBe("alice");
    const cookie = end.headers.getSetCookie().join();
    for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"])
      expect(cookie).toContain(part);
  });

  test("sends a browser that is signed in to the page at once", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    await signIn(deployment, browser, "alice");

    expect(await started(deployment, browser, "?to=/docs")).toBe(`${deployment.site.url}/docs`);
  });

  test.each(["HEAD", "prefetch"])("does not start anything for %s", async (how) => {
    await using deployment = await startSignInSite();
    const init = how === "HEAD" ? { method: "HEAD" } : { headers: { "sec-purpose": "prefetch;prerender" } };
    const answer = await new Browser().open(`${deployment.site.url}/sign-in`, init);

    expect([answer.headers.get("location"), answer.headers.getSetCookie()]).toEqual([null, []]);
    expect(answer.status).toBe(how === "HEAD" ? 200 : 503);
  });

  test("and its callback do not use anything up for HEAD and prefetches", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    const address = await started(deployment, browser);
    const callback = await signInAs(deployment.provider.url, address, "alice");
    await browser.open(callback, { method: "HEAD" });
    await browser.open(callback, { headers: { purpose: "prefetch" } });

    expect((await browser.open(callback)).status).toBe(303);
  });

  test("says that people do not sign in, with and without the project", async () => {
    await using site = await startSite();

    for (const query of ["", "?project=unknown"]) {
      const page = await fetch(`${site.url}/sign-in${query}`);
      expect([page.status, await titleOf(page)]).toEqual([404, "People do not sign in here"]);
    }
  });

  test("says that the provider cannot be reached, and another try works", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    deployment.clock.move(11 * 60_000);
    deployment.provider.down = true;
    const page = await browser.open(`${deployment.site.url}/sign-in?to=/docs`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("cannot be reached")]);

    deployment.provider.down = false;
    expect((await signIn(deployment, browser, "alice", "?to=/docs")).status).toBe(303);
  });

  test("is not loaded into a frame, and runs no script", async () => {
    await using deployment = await startSignInSite();
    const page = await fetch(`${deployment.site.url}/sign-in/callback?state=x&code=y`);
    const policy = page.headers.get("content-security-policy") ?? "";

    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
  });
});

describe("a person who cannot be identified", () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    ["without the claim", "employee", {}, "no claim employee"],
    [
      "with an address that is not verified",
      "email",
      { email: "a@example.com", email_verified: false },
      "not verified",
    ],
    [
      "with an invisible character in the claim",
      "email",
      { email: "a\u200b@example.com", email_verified: true },
      "contains control or invisible characters",
    ],
  ])("%s is told so, by the name of the claim", async (_what, claim, account, words) => {
    await using deployment = await startSignInSite({
      accounts: { alice: account },
      environment: { RUNTIME_AUTH_USER_CLAIM: claim },
    });
    const browser = new Browser();
    const page = await signIn(deployment, browser, "alice");

    const text = await page.text();
    expect([page.status, text]).toEqual([403, expect.stringContaining(words)]);
    expect(text).toContain("auth.user_claim");
    expect(browser.cookie(SESSION)).toBeUndefined();
  });

  test("is identified by a verified address in the ID token", async () => {
    await using deployment = await startSignInSite({
      accounts: { alice: { email: "alice@example.com", email_verified: true } },
      environment: { RUNTIME_AUTH_USER_CLAIM: "email" },
      isGenerous: true,
    });
    const browser = new Browser();
    await signIn(deployment, browser, "alice");

    expect(await personIn(deployment, browser)).toBe("alice@example.com");
  });

  test("is told that a suspension is the reason, and not sent around in a circle", async () => {
    await using deployment = await startSignInSite();
    const { runtime } = deployment.site;
    await runtime.users.suspend(await runtime.identity.operator("default"), "alice");
    const page = await signIn(deployment, new Browser(), "alice");

    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining("suspended")]);
  });

  test("is shown errors of the provider in our words only", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    const { searchParams } = new URL(await started(deployment, browser));
    const query = new URLSearchParams({
      state: searchParams.get("state") ?? "",
      error: "<b>bold</b>",
      error_description: "<script>alert(1)</script>",
      iss: deployment.provider.url,
    });
    const page = await browser.open(`${deployment.site.url}/sign-in/callback?${query}`);
    const text = await page.text();

    expect([page.status, await titleOf(new Response(text))]).toEqual([400, "You are not signed in"]);
    expect(text).not.toContain("bold");
    expect(text).not.toContain("alert");
  });
});

describe("signing out", () => {
  test("ends the session, and its cookie does not work again", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const browser = new Browser();
    await signIn(deployment, browser, "alice");
    const cookie = browser.cookie(SESSION);
    const page = await send(deployment, browser, "/sign-out", {
      token: await formTokenOf(deployment, browser),
    });

    expect(await titleOf(page)).toBe("You are signed out");
    expect(browser.cookie(SESSION)).toBe("");
    expect(await site.runtime.people.signedIn("default", cookie)).toBeUndefined();
  });

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["without the token of the form", {}, {}],
    ["from another site", { token: "" }, { origin: "https://evil.example" }],
  ])("%s is 403 and ends nothing", async (_what, fields, headers) => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    await signIn(deployment, browser, "alice");
    const given = "token" in fields ? { token: await formTokenOf(deployment, browser) } : {};
    const answer = await send(deployment, browser, "/sign-out", given, headers);

    expect(answer.status).toBe(403);
    expect(await personIn(deployment, browser)).toBe("alice");
  });

  test("to sign in as somebody else asks the provider to ask again", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    await signIn(deployment, browser, "alice");
    const token = await formTokenOf(deployment, browser);
    const page = await send(deployment, browser, "/sign-out", { token, again: "1", to: "/docs" });
    const next = page.headers.get("refresh")?.replace("0; url=", "") ?? "";
    const address = (await browser.open(next)).headers.get("location") ?? "";

    expect(new URL(address).searchParams.get("prompt")).toBe("login");
    await browser.open(await signInAs(deployment.provider.url, address, "bob"));
    expect(await personIn(deployment, browser)).toBe("bob");
  });
});
