// Attacks on user check (a): links opened in the browser of another person, skipped steps.
import { describe, expect, test } from "bun:test";
import { Browser, offersConfirmation } from "../support/browser";
import { allowed, arrived, linkedUsers, startFor, stateOf, toSignIn } from "../interop/oidc/consent";
import { startSite } from "../support/site";
import { signInAs } from "../interop/oidc/sign-in";
import { type OpenIdSite, startSignInSite } from "../interop/oidc/site";

const FLOWS = process.env["RUNTIME_TEST_LONG"] === "1" ? 500 : 100;

/** bob's browser has given the consent that is meant for alice, and was sent to sign in. */
async function bobWithLinkOfAlice(deployment: OpenIdSite) {
  const browser = new Browser();
  const started = await startFor(deployment.site, "alice");
  const callback = await browser.toCallback(started.url, "bob");
  const address = await toSignIn(browser, await browser.open(callback));
  return { browser, started, callback, address };
}

/** Sends the form of the confirmation page, with the check computed from the state. */
async function sendForgedForm(
  browser: Browser,
  origin: string,
  url: string,
  state: string,
): Promise<Response> {
  const check = new Bun.CryptoHasher("sha256").update(`confirm ${state}`).digest("hex");
  const body = new URLSearchParams({ check, answer: "yes" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", origin };
  return browser.open(url, { method: "POST", headers, body });
}

describe("where the confirmation page is the only check, the same steps link the account", () => {
  test.each(["opening the address again", "repeating the callback"])("%s", async (step) => {
    await using site = await startSite();
    await site.addChatProvider();
    const browser = new Browser();
    const started = await startFor(site, "alice");
    const callback = await browser.toCallback(started.url, "bob");
    await browser.open(callback);
    const page = await browser.open(step === "repeating the callback" ? callback : started.url);

    expect(await offersConfirmation(page)).toBe(true);
    await browser.answer(page, site.url, "yes");
    expect(await linkedUsers(site)).toEqual(["alice"]);
  });

  test("sending the form without having seen it", async () => {
    await using site = await startSite();
    await site.addChatProvider();
    const browser = new Browser();
    const started = await startFor(site, "alice");
    const callback = await browser.toCallback(started.url, "bob");
    await browser.open(callback);
    const state = new URL(callback).searchParams.get("state") ?? "";
    await sendForgedForm(browser, site.url, started.url, state);

    expect(await linkedUsers(site)).toEqual(["alice"]);
  });
});

describe("the sign-in cannot be bypassed", () => {
  test("by opening our address again, which redirects to the sign-in again", async () => {
    await using deployment = await startSignInSite();
    const { site, provider } = deployment;
    const { browser, started } = await bobWithLinkOfAlice(deployment);
    const again = await browser.open(started.url);

    expect(await offersConfirmation(again)).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
    expect(new URL(await toSignIn(browser, again)).origin).toBe(provider.url);
  });

  test("by repeating the provider's callback", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const { browser, callback } = await bobWithLinkOfAlice(deployment);

    expect(await offersConfirmation(await browser.open(callback))).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
  });

  test("by two callbacks at the same time", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const browser = new Browser();
    const started = await startFor(site, "alice");
    const callback = await browser.toCallback(started.url, "bob");
    const pages = await Promise.all(Array.from({ length: 5 }, () => browser.open(callback)));

    for (const page of pages) expect(await offersConfirmation(page)).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
  });

  test("by sending the state of the sign-in to the callback of the provider", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const { browser, callback, address } = await bobWithLinkOfAlice(deployment);
    const mixed = new URL(callback);
    mixed.searchParams.set("state", new URL(address).searchParams.get("state") ?? "");

    expect(await offersConfirmation(await browser.open(mixed.href))).toBe(false);
    expect(await linkedUsers(site)).toEqual([]);
  });

  test("by sending the form of our page without having seen it", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const { browser, started, callback, address } = await bobWithLinkOfAlice(deployment);
    for (const seen of [callback, address]) {
      const state = new URL(seen).searchParams.get("state") ?? "";
      await sendForgedForm(browser, site.url, started.url, state);
    }

    expect(await linkedUsers(site)).toEqual([]);
    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
  });

  test("by a code of the right user from another flow", async () => {
    await using deployment = await startSignInSite();
    const { site, provider } = deployment;
    const alice = new Browser();
    const own = await startFor(site, "alice", { next_uri: "https://app.example" });
    const ofAlice = new URL(
      await signInAs(provider.url, await toSignIn(alice, await allowed(alice, own, "alice")), "alice"),
    );
    const { browser, started, address } = await bobWithLinkOfAlice(deployment);
    const mixed = new URL(await signInAs(provider.url, address, "bob"));
    mixed.searchParams.set("code", ofAlice.searchParams.get("code") ?? "");
    await arrived(browser, mixed.href);

    expect(await stateOf(site, started)).toEqual(["pending", undefined]);
    expect(await linkedUsers(site)).toEqual([]);
  });

  test("who opens the address again and then signs in is linked, in either window", async () => {
    await using deployment = await startSignInSite();
    const { site, provider } = deployment;
    const browser = new Browser();
    const started = await startFor(site, "alice");
    const before = await toSignIn(browser, await allowed(browser, started, "alice"));
    await toSignIn(browser, await browser.open(started.url));
    await arrived(browser, await signInAs(provider.url, before, "alice"));

    expect(await stateOf(site, started)).toEqual(["completed", undefined]);
  });
});

test(`of ${FLOWS} flows opened in another person's browser none is linked`, async () => {
  await using deployment = await startSignInSite();
  const { site, provider } = deployment;

  /** One's own link, opened by the other: whose account is linked to whom must not be theirs to choose. */
  const attack = async (index: number): Promise<unknown> => {
    const [user, victim] = index % 2 === 0 ? ["alice", "bob"] : ["bob", "alice"];
    const browser = new Browser();
    // Another address each time: pending flows of the same wish share one.
    const started = await startFor(site, user, { next_uri: `https://app.example/${index}` });
    const callback = await browser.toCallback(started.url, victim);
    const address = await toSignIn(browser, await browser.open(callback));
    if (index % 3 === 1) expect(await offersConfirmation(await browser.open(callback))).toBe(false);
    const current = index % 3 === 2 ? await toSignIn(browser, await browser.open(started.url)) : address;
    await arrived(browser, await signInAs(provider.url, current, victim));
    return (await stateOf(site, started))[0];
  };
  const states: unknown[] = [];
  while (states.length < FLOWS) {
    const batch = Array.from(
      { length: Math.min(10, FLOWS - states.length) },
      (_, index) => states.length + index,
    );
    states.push(...(await Promise.all(batch.map(attack))));
  }
  const linked = await linkedUsers(site);
  process.stdout.write(`sign-in: ${FLOWS} flows in another person's browser, ${linked.length} linked\n`);

  expect(linked).toEqual([]);
  expect(new Set(states)).toEqual(new Set(["failed"]));
}, 110_000);
