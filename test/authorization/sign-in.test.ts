// User check (a): the browser signs in at the certified OpenID provider, and must turn out to be the flow's user.
import { describe, expect, test } from "bun:test";
import {
  allowed,
  arrived,
  linkedUsers,
  type Started,
  startFor,
  stateOf,
  target,
  titleOf,
  toSignIn,
} from "../interop/oidc/consent";
import { signInAs } from "../interop/oidc/sign-in";
import { type OpenIdSite, startSignInSite } from "../interop/oidc/site";
import { Browser } from "../support/browser";

const OTHER_USER = "the signed-in user is not the user of this consent";
const NOT_SIGNED_IN = "You are not signed in";

/** alice has allowed everything at the platform: her browser is on its way to sign in. */
async function signingIn(deployment: OpenIdSite, more: object = {}) {
  const { site } = deployment;
  const browser = new Browser();
  const started = await startFor(site, "alice", more);
  const address = await toSignIn(browser, await allowed(browser, started, "alice"));
  return { site, browser, started, address };
}

/** Where the provider sends the browser of somebody who signs in as `user`. */
function back({ provider }: OpenIdSite, address: string, user: string): Promise<string> {
  return signInAs(provider.url, address, user);
}

describe("the browser is redirected to the sign-in", () => {
  test("with its own code, PKCE, state and nonce, to the address from discovery", async () => {
    await using deployment = await startSignInSite();
    const { address, site } = await signingIn(deployment);
    const { origin, searchParams } = new URL(address);

    expect(origin).toBe(deployment.provider.url);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "runtime",
      redirect_uri: `${site.url}/api/v1/auth/callback`,
      response_type: "code",
      scope: "openid",
      state: expect.stringMatching(/^v1\.[\w.-]{200,1000}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  test("and nothing is linked before it returns", async () => {
    await using deployment = await startSignInSite();
    const { site, started } = await signingIn(deployment);

    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
    expect(await linkedUsers(site)).toEqual([]);
  });
});

describe("the flow's user", () => {
  test.each<[string, Parameters<typeof startSignInSite>[0]]>([
    ["with a client secret", {}],
    [
      "with a client secret that the provider wants in the body",
      { clientAuthentication: "client_secret_post" },
    ],
    ["as a public client", { secret: null }],
  ])("is linked, %s", async (_name, options) => {
    await using deployment = await startSignInSite(options);
    const { site, browser, started, address } = await signingIn(deployment);

    expect(await titleOf(await arrived(browser, await back(deployment, address, "alice")))).toBe("Connected");
    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
    expect(await linkedUsers(site)).toEqual(["alice"]);
  });

  test("is redirected to next_uri", async () => {
    await using deployment = await startSignInSite();
    const { browser, address } = await signingIn(deployment, { next_uri: "https://app.example/done?x=1" });

    const answer = await arrived(browser, await back(deployment, address, "alice"));
    expect([answer.status, await target(answer)]).toEqual([303, "https://app.example/done?x=1"]);
  });

  test("is identified by the verified e-mail address from user info if that is the claim", async () => {
    await using deployment = await startSignInSite({
      accounts: {
        "u-1": { email: "alice", email_verified: true },
        "u-2": { email: "alice", email_verified: false },
      },
      environment: { RUNTIME_AUTH_USER_CLAIM: "email" },
    });
    const unverified = await signingIn(deployment);
    const refused = await arrived(unverified.browser, await back(deployment, unverified.address, "u-2"));
    const page = await refused.text();
    expect([refused.status, page]).toEqual([403, expect.stringContaining("not verified")]);
    expect(await linkedUsers(deployment.site)).toEqual([]);

    const verified = await signingIn(deployment);
    await arrived(verified.browser, await back(deployment, verified.address, "u-1"));
    expect(await stateOf(deployment.site, verified.started)).toEqual(["completed", undefined]);
  });

  test("is linked right after the provider has changed its key", async () => {
    await using deployment = await startSignInSite();
    const first = await signingIn(deployment);
    await arrived(first.browser, await back(deployment, first.address, "alice"));
    deployment.provider.rotate("removed");
    const { site } = deployment;
    const browser = new Browser();
    const second = await startFor(site, "bob");
    const address = await toSignIn(browser, await allowed(browser, second, "bob"));
    await arrived(browser, await back(deployment, address, "bob"));

    expect(await stateOf(site, second)).toEqual(["completed", undefined]);
  });
});

describe("nothing is linked when", () => {
  /** What the flow came to, after the browser (or another one) opened where the provider sent it, changed somehow. */
  async function after(
    deployment: OpenIdSite,
    change: { person?: string; address?: (url: URL) => void; answer?: (url: URL) => void; browser?: Browser },
  ): Promise<{ title: string; state: unknown[]; started: Started }> {
    const { site, browser, started, address } = await signingIn(deployment);
    const sent = new URL(address);
    change.address?.(sent);
    const answer = new URL(await back(deployment, sent.href, change.person ?? "alice"));
    change.answer?.(answer);
    const page = await arrived(change.browser ?? browser, answer.href);
    const title = await titleOf(page);
    expect(await linkedUsers(site)).toEqual([]);
    return { title, state: await stateOf(site, started), started };
  }

  test("another user signs in: the flow has failed", async () => {
    await using deployment = await startSignInSite();

    expect(await after(deployment, { person: "bob" })).toMatchObject({
      title: "Not connected",
      state: ["failed", OTHER_USER],
    });
  });

  test.each<[string, (url: URL) => void]>([
    ["the nonce is another", (url) => url.searchParams.set("nonce", "n".repeat(43))],
    ["the challenge is another", (url) => url.searchParams.set("code_challenge", "c".repeat(43))],
  ])("%s: no one is signed in, and the flow continues", async (_name, address) => {
    await using deployment = await startSignInSite();

    expect(await after(deployment, { address })).toMatchObject({
      title: NOT_SIGNED_IN,
      state: ["pending", undefined],
    });
  });

  test.each<[string, (url: URL) => void]>([
    ["the code is another", (url) => url.searchParams.set("code", "another")],
    ["the issuer is another (RFC 9207)", (url) => url.searchParams.set("iss", "https://idp.example")],
    ["the issuer is missing (RFC 9207)", (url) => url.searchParams.delete("iss")],
    ["the provider answers with an error", (url) => url.searchParams.set("error", "access_denied")],
  ])("%s: no one is signed in, and the flow continues", async (_name, answer) => {
    await using deployment = await startSignInSite();

    expect(await after(deployment, { answer })).toMatchObject({
      title: NOT_SIGNED_IN,
      state: ["pending", undefined],
    });
  });

  test.each<[string, (url: URL) => void]>([
    ["the state is another", (url) => url.searchParams.set("state", "s".repeat(43))],
    ["the state is missing", (url) => url.searchParams.delete("state")],
    ["the state occurs twice", (url) => url.searchParams.append("state", "x")],
    ["there is no code", (url) => url.searchParams.delete("code")],
  ])("%s: refused, and the flow continues", async (_name, answer) => {
    await using deployment = await startSignInSite();

    expect(await after(deployment, { answer })).toMatchObject({
      title: NOT_SIGNED_IN,
      state: ["pending", undefined],
    });
  });

  test("another browser sends the callback, with or without a cookie: refused", async () => {
    await using deployment = await startSignInSite();
    const stranger = new Browser();
    await stranger.open((await startFor(deployment.site, "bob")).url);

    for (const browser of [new Browser(), stranger]) {
      expect(await after(deployment, { browser })).toMatchObject({ state: ["pending", undefined] });
    }
  });

  test("the provider is down before the redirect", async () => {
    await using deployment = await startSignInSite();
    const { site, provider, clock } = deployment;
    // The metadata that was read at the start is no longer fresh.
    clock.move(11 * 60_000);
    provider.down = true;
    const started = await startFor(site, "alice");
    const browser = new Browser();
    const page = await browser.open(await target(await allowed(browser, started, "alice")));

    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("cannot be reached")]);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
  });

  test("the provider is down at the callback", async () => {
    await using deployment = await startSignInSite();
    const { site, browser, started, address } = await signingIn(deployment);
    const answer = await back(deployment, address, "alice");
    deployment.provider.down = true;
    expect(await titleOf(await browser.open(answer))).toBe(NOT_SIGNED_IN);

    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
    expect(await linkedUsers(site)).toEqual([]);
  });

  test("the consent has expired in the meantime", async () => {
    await using deployment = await startSignInSite();
    const { site, browser, started, address } = await signingIn(deployment);
    const answer = await back(deployment, address, "alice");
    deployment.clock.move(10 * 60_000);

    expect(await titleOf(await browser.open(answer))).toBe(NOT_SIGNED_IN);
    expect(await titleOf(await browser.open(started.url))).toBe("Not connected");
    expect(await linkedUsers(site)).toEqual([]);
    expect((await stateOf(site, started))[0]).toBe("failed");
  });
});

describe("the callback of the sign-in", () => {
  test("works once", async () => {
    await using deployment = await startSignInSite();
    const { site, browser, started, address } = await signingIn(deployment);
    const answer = await back(deployment, address, "alice");
    await arrived(browser, answer);
    const again = await browser.open(answer);

    expect(again.status).toBe(400);
    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
  });

  test("delivered twice at once links once and breaks nothing", async () => {
    await using deployment = await startSignInSite();
    const { site, browser, started, address } = await signingIn(deployment);
    const answer = await back(deployment, address, "alice");
    await Promise.all([arrived(browser, answer), arrived(browser, answer)]);

    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
    expect(await linkedUsers(site)).toEqual(["alice"]);
  });
});
