// The OAuth state of a callback: made up, of another browser, provider or project, used twice, or too late.
import { afterAll, expect, test } from "bun:test";
import { linkedUsers, startFor, stateOf, type Started, target } from "../interop/oidc/consent";
import { signInAs } from "../interop/oidc/sign-in";
import { startSignInSite } from "../interop/oidc/site";
import { api } from "../support/api";
import { Browser, offersConfirmation } from "../support/browser";
import { chatProvider } from "../sandbox/chat";
import { startStage, type Stage } from "../server/stage";
import { printFigure } from "./figure";

const MINUTE = 60_000;

let tried = 0;
afterAll(() => printFigure("forged and replayed state", `${tried} callbacks: 0 link an account`));

/** alice's browser has come back from the provider, but has not opened the callback yet. */
async function atCallback(stage: Stage) {
  const browser = new Browser();
  const started = await startFor(stage.site, "alice");
  return { browser, started, callback: await browser.toCallback(started.url, "alice") };
}

const withState = (callback: string, state: string): string => {
  const url = new URL(callback);
  url.searchParams.set("state", state);
  return url.href;
};
const stateIn = (address: string): string => new URL(address).searchParams.get("state") ?? "";

async function expectRefused(
  stage: Stage,
  browser: Browser,
  address: string,
  started: Started,
): Promise<void> {
  const page = await browser.open(address);

  expect(page.status).toBe(400);
  expect(await offersConfirmation(page)).toBe(false);
  expect(await linkedUsers(stage.site)).toEqual([]);
  expect((await stateOf(stage.site, started))[0]).toBe("pending");
  tried += 1;
}

test("a made-up, changed, cut or empty state is refused, and the real one works afterwards", async () => {
  await using stage = await startStage();
  const { browser, started, callback } = await atCallback(stage);
  const state = stateIn(callback);
  const changed = state.startsWith("A") ? `B${state.slice(1)}` : `A${state.slice(1)}`;
  const forged = [
    "x".repeat(43),
    changed,
    state.slice(0, -1),
    `${state}A`,
    state.toLowerCase(),
    "",
    "x".repeat(5000),
  ];
  for (const one of forged) await expectRefused(stage, browser, withState(callback, one), started);
  await expectRefused(stage, browser, `${callback}&state=${state}`, started);

  expect(await offersConfirmation(await browser.open(callback))).toBe(true);
});

test("the state of another browser is refused, with and without a cookie", async () => {
  await using stage = await startStage();
  const { started, callback } = await atCallback(stage);
  const mallory = new Browser();
  await expectRefused(stage, mallory, callback, started);
  const own = await startFor(stage.site, "mallory");
  await mallory.toCallback(own.url, "bob");

  await expectRefused(stage, mallory, callback, started);
});

test("a state at the callback of another provider, or of another project, is refused", async () => {
  await using stage = await startStage();
  const { site, keys } = stage;
  const record = { ...chatProvider(site.chat), id: "second" };
  await api(site.url, keys.admin).post("/v1/admin/auth_providers", record);
  await site.addChatProvider("other");
  const { browser, started, callback } = await atCallback(stage);
  for (const [key, id] of [
    [keys.admin, "second"],
    [keys.other, "slack"],
  ] as const) {
    const { text } = await api(site.url, key).get(`/v1/admin/auth_providers/${id}`);
    const [, redirect = ""] = /"redirect_uri":"([^"]+)"/.exec(text) ?? [];
    await expectRefused(stage, browser, redirect + new URL(callback).search, started);
  }
});

test("a state that was used is refused, one by one and at once", async () => {
  await using stage = await startStage();
  const { browser, started, callback } = await atCallback(stage);
  const pages = await Promise.all(Array.from({ length: 10 }, () => browser.open(callback)));
  const offered = await Promise.all(pages.map(offersConfirmation));
  expect(offered.filter(Boolean).length).toBeLessThanOrEqual(1);
  const requests = site(stage).length;
  await browser.open(callback);

  // The code is not sent to the provider again.
  expect(site(stage)).toHaveLength(requests);
  expect(await linkedUsers(stage.site)).toEqual([]);
  expect((await stateOf(stage.site, started))[0]).toBe("pending");
  tried += 11;
});

const site = ({ site: { chat } }: Stage): readonly unknown[] =>
  chat.requests.filter((request) => JSON.stringify(request).includes("oauth.v2.access"));

test("a state that has expired is refused", async () => {
  await using stage = await startStage();
  const { browser, started, callback } = await atCallback(stage);
  stage.clock.move(11 * MINUTE);
  const page = await browser.open(callback);

  expect(await offersConfirmation(page)).toBe(false);
  expect((await stateOf(stage.site, started))[0]).toBe("failed");
  expect(await linkedUsers(stage.site)).toEqual([]);
  tried += 1;
});

test("the state of a sign-in is refused when it is forged, replayed, or sent to the other callback", async () => {
  await using deployment = await startSignInSite();
  const browser = new Browser();
  const started = await startFor(deployment.site, "alice");
  const callback = await browser.toCallback(started.url, "bob");
  const address = await target(await browser.open(callback));
  const signedIn = await signInAs(deployment.provider.url, address, "bob");
  for (const attempt of [
    withState(signedIn, "x".repeat(43)),
    withState(callback, stateIn(address)),
    withState(signedIn, stateIn(callback)),
    callback,
  ]) {
    await browser.open(attempt);
    expect(await linkedUsers(deployment.site)).toEqual([]);
    tried += 1;
  }
  await browser.open(signedIn);
  await browser.open(signedIn);

  expect((await stateOf(deployment.site, started))[0]).not.toBe("completed");
  expect(await linkedUsers(deployment.site)).toEqual([]);
  tried += 2;
});
