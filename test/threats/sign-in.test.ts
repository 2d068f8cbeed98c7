// Attacks on the sign-in: prepared sessions, sign-ins that an attacker has begun, sessions of other projects, redirects to other
// sites, and consents in the browser of another person who is signed in.
import { afterAll, describe, expect, test } from "bun:test";
import { allowed, arrived, linkedUsers, startFor, stateOf, target } from "../interop/oidc/consent";
import { signInAs } from "../interop/oidc/sign-in";
import { type OpenIdSite, startSignInSite } from "../interop/oidc/site";
import { formTokenOf, personIn, send, SESSION, signIn, started } from "../people/signing-in";
import { Browser } from "../support/browser";
import { returnPath } from "../../src/people";
import { query } from "../../src/store";
import { printFigure } from "./figure";

const CONSENTS = process.env["RUNTIME_TEST_LONG"] === "1" ? 500 : 50;
const STARTS = 300;

let linked = 0;
let tried = 0;
afterAll(() =>
  printFigure(
    "phishing of consents over sign-in",
    `${tried} consents in signed-in browsers: ${linked} linked`,
  ),
);

const withCookie = (cookie: string): RequestInit => ({ headers: { cookie }, redirect: "manual" });

describe("session fixation", () => {
  test("a cookie that an attacker has planted is not that of the session, before or after the sign-in", async () => {
    await using deployment = await startSignInSite();
    const { people } = deployment.site.runtime;
    const attacker = new Browser();
    await signIn(deployment, attacker, "mallory");
    const planted = attacker.cookie(SESSION) ?? "";
    const victim = new Browser();
    // The victim's browser has the attacker's cookie, and signs in as somebody else.
    await victim.open(`${deployment.site.url}/sign-in`);
    const address = await target(
      await fetch(`${deployment.site.url}/sign-in`, withCookie(`${SESSION}=made-up`)),
    );
    expect(new URL(address).origin).toBe(deployment.provider.url);
    await signIn(deployment, victim, "alice");

    expect(victim.cookie(SESSION)).not.toBe(planted);
    expect((await people.signedIn("default", planted))?.userId).toBe("mallory");
    expect(await personIn(deployment, victim)).toBe("alice");
  });

  test("the session whose cookie the browser had ends with the next sign-in", async () => {
    await using deployment = await startSignInSite();
    const { people, sessions } = deployment.site.runtime;
    const browser = new Browser();
    const address = await started(deployment, browser);
    // In another window of the browser, somebody signs in first.
    await signIn(deployment, browser, "mallory");
    const former = browser.cookie(SESSION);
    await browser.open(await signInAs(deployment.provider.url, address, "alice"));

    expect(await personIn(deployment, browser)).toBe("alice");
    expect(await people.signedIn("default", former)).toBeUndefined();
    expect(await sessions.list("default", "mallory")).toEqual([]);
  });
});

describe("login CSRF", () => {
  test("a callback that an attacker has begun does not sign in the browser of another person", async () => {
    await using deployment = await startSignInSite();
    const attacker = new Browser();
    const address = await started(deployment, attacker);
    const callback = await signInAs(deployment.provider.url, address, "mallory");
    const stranger = new Browser();
    await started(deployment, stranger);

    for (const victim of [new Browser(), stranger]) {
      expect((await victim.open(callback)).status).toBe(400);
      expect(victim.cookie(SESSION)).toBeUndefined();
    }
  });

  test("a state begins one session", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    const callback = await signInAs(deployment.provider.url, await started(deployment, browser), "alice");
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.open(callback)));

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await deployment.site.runtime.sessions.list("default", "alice")).toHaveLength(1);
  });

  test("a state is refused after ten minutes, and with any other character", async () => {
    await using deployment = await startSignInSite();
    const browser = new Browser();
    const callback = new URL(
      await signInAs(deployment.provider.url, await started(deployment, browser), "alice"),
    );
    const state = callback.searchParams.get("state") ?? "";
    for (const forged of ["", "x", state.slice(0, -4), state.replace("v1", "v2"), state.toLowerCase()]) {
      const changed = new URL(callback);
      changed.searchParams.set("state", forged);
      expect((await browser.open(changed.href)).status).toBe(400);
    }
    deployment.clock.move(10 * 60_000);

    expect((await browser.open(callback.href)).status).toBe(400);
    expect(browser.cookie(SESSION)).toBeUndefined();
  });

  test("a form of another session is refused", async () => {
    await using deployment = await startSignInSite();
    const [alice, mallory] = [new Browser(), new Browser()];
    await signIn(deployment, alice, "alice");
    await signIn(deployment, mallory, "mallory");
    const token = await formTokenOf(deployment, mallory);

    for (const headers of [{ origin: deployment.site.url }, { origin: "null" }, {}])
      expect(
        (await send(deployment, alice, "/sign-out", { token }, headers as Record<string, string>)).status,
      ).toBe(403);
    expect(await personIn(deployment, alice)).toBe("alice");
  });
});

test("a session of one project is none in another", async () => {
  await using deployment = await startSignInSite();
  const { site } = deployment;
  await site.runtime.identity.createProject(
    await site.runtime.identity.operator("default"),
    "other",
    "Other",
  );
  const browser = new Browser();
  await signIn(deployment, browser, "alice");
  const cookie = browser.cookie(SESSION) ?? "";

  expect(await site.runtime.people.signedIn("other", cookie)).toBeUndefined();
  const moved = await fetch(
    `${site.url}/sign-in?project=other`,
    withCookie(`runtime_session_other=${cookie}`),
  );
  expect(new URL(await target(moved)).origin).toBe(deployment.provider.url);
});

test(`${STARTS} sign-ins that are begun and left store nothing`, async () => {
  await using deployment = await startSignInSite();
  const { store } = deployment.site.runtime.core;
  const rows = () =>
    store.get<{ count: number }>(
      query(
        "SELECT (SELECT COUNT(*) FROM browser_sessions) + (SELECT COUNT(*) FROM identities) + (SELECT COUNT(*) FROM oauth_items) + " +
          "(SELECT COUNT(*) FROM authorizations) + (SELECT COUNT(*) FROM audit) AS count",
      ),
    );
  const before = await rows();
  for (let index = 0; index < STARTS; index++) await started(deployment, new Browser(), "?to=/docs");

  expect(await rows()).toEqual(before);
});

describe("open redirects", () => {
  test.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    " //evil.example",
    "javascript:alert(1)",
    "evil.example",
    "",
    `/${"a".repeat(1001)}`,
    "/zo\u00eb",
  ])("%p leads to the own page", (to) => {
    expect(returnPath(to, "default")).toBe("/me");
    expect(returnPath(to, "sales")).toBe("/me/sales");
  });

  test("an end of the sign-in is on this server, whatever is asked", async () => {
    await using deployment = await startSignInSite();
    for (const to of [
      "//evil.example",
      "/%2f%2fevil.example",
      "/.//evil.example",
      "/@evil.example",
      "/:80/x",
    ]) {
      const end = await signIn(deployment, new Browser(), "alice", `?to=${encodeURIComponent(to)}`);
      expect(new URL(await target(end)).origin).toBe(deployment.site.url);
    }
  });
});

describe("consents", () => {
  const inBrowserOf = async (deployment: OpenIdSite, person: string): Promise<Browser> => {
    const browser = new Browser();
    await signIn(deployment, browser, person);
    return browser;
  };

  test("of the person who is signed in are linked without another sign-in", async () => {
    await using deployment = await startSignInSite();
    const browser = await inBrowserOf(deployment, "alice");
    const consent = await startFor(deployment.site, "alice");
    await allowed(browser, consent, "alice");

    expect(await stateOf(deployment.site, consent)).toEqual(["completed", undefined]);
  });

  test(`${CONSENTS} consents of others, opened in signed-in browsers, are not linked`, async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const victim = await inBrowserOf(deployment, "alice");
    const states = new Set<unknown>();
    for (let index = 0; index < CONSENTS; index++) {
      const consent = await startFor(site, "mallory", { next_uri: `https://app.example/${index}` });
      const answer = await allowed(victim, consent, "alice");
      if (index % 3 === 1) await victim.open(consent.url);
      if (index % 3 === 2) await arrived(victim, answer.headers.get("location") ?? consent.url);
      states.add((await stateOf(site, consent))[0]);
      tried += 1;
    }
    linked += (await linkedUsers(site)).length;

    expect(await linkedUsers(site)).toEqual([]);
    expect([...states]).toEqual(["failed"]);
  }, 60_000);

  test("are those of a session in their own project", async () => {
    await using deployment = await startSignInSite();
    const { site } = deployment;
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other");
    await site.addChatProvider("other");
    const browser = await inBrowserOf(deployment, "alice");
    const agent = await site.runtime.identity.operator("other");
    const { url = "" } = await site.runtime.tools.authorize(agent, {
      tool_name: "Chat.WhoAmI",
      user_id: "alice",
    });
    const callback = await browser.toCallback(url, "alice");
    const next = await target(await browser.open(callback));

    expect(new URL(next).pathname).toBe("/sign-in");
    expect(new URL(next).searchParams.get("project")).toBe("other");
    expect((await site.runtime.connections.list(agent, {})).items).toEqual([]);
  });
});

test("a session stops on every server when its person is suspended, and with a change of the method", async () => {
  await using deployment = await startSignInSite();
  const { people, users, identity } = deployment.site.runtime;
  const operator = await identity.operator("default");
  const browser = new Browser();
  await signIn(deployment, browser, "alice");
  await identity.projects.update(operator, "default", { sign_in: "proxy" });
  expect(await personIn(deployment, browser)).toBeUndefined();
  await identity.projects.update(operator, "default", { sign_in: "default" });
  // For good: the name may have been that of another person meanwhile.
  expect(await personIn(deployment, browser)).toBeUndefined();
  await signIn(deployment, browser, "alice");
  expect(await personIn(deployment, browser)).toBe("alice");

  await users.suspend(operator, "alice");
  await users.resume(operator, "alice");
  expect(await people.signedIn("default", browser.cookie(SESSION))).toBeUndefined();
});
