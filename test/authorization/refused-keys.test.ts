// How many keys a consent may have tested: the page must not find out which of many keys are good, at however many servers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import {
  addKeyProvider,
  authorizeKey,
  type KeyService,
  sendForm,
  type Started,
  startKeyService,
  statusOf,
} from "./key-page";

const KEY = "tracker-key-CANARY-1";
const OVER = ["failed", "too many keys were refused; start a new authorization"];

let service: KeyService;
let one: Site;
let other: Site;
let started: Started;
let browser: Browser;
let page: Response;

/** Another server of the same installation, behind the same address. */
const anotherServer = (): Promise<Site> =>
  startSite({ folder: one.folder, chat: one.chat, environment: { RUNTIME_PUBLIC_URL: one.url } });

beforeAll(async () => {
  service = startKeyService();
  one = await startSite();
  other = await anotherServer();
  await addKeyProvider(one, {
    location: "header",
    name: "X-Api-Key",
    addresses: [service.url],
    test: { url: `${service.url}/me` },
  });
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await service.stop();
});
beforeEach(async () => {
  service.good.add(KEY);
  started = await authorizeKey(one, "alice");
  browser = new Browser();
  page = await browser.open(started.url);
});
afterEach(async () => {
  const operator = await one.runtime.identity.operator("default");
  for (const { id } of (await one.runtime.connections.list(operator, { user_id: "alice" })).items)
    await one.runtime.connections.delete(operator, id);
  service.requests.length = 0;
  service.status = undefined;
});

const guess = (index: number, at: Site = index % 2 === 0 ? one : other): Promise<Response> =>
  sendForm(browser, page, { key: `guess-${index}`, to: at.url });

describe("after ten refusals a consent is over", () => {
  test("at several servers together", async () => {
    for (let index = 0; index < 14; index++) await guess(index);

    expect(service.requests).toHaveLength(10);
    expect(await statusOf(one, started.id)).toEqual(OVER);
  });

  test("also if the server was restarted meanwhile", async () => {
    for (let index = 0; index < 9; index++) await guess(index, one);
    await using restarted = await anotherServer();
    for (let index = 9; index < 12; index++) await guess(index, restarted);

    expect(service.requests).toHaveLength(10);
    expect(await statusOf(one, started.id)).toEqual(OVER);
  });

  test("also if they come at the same time", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => guess(index)));

    expect(service.requests.length).toBeLessThanOrEqual(10);
    expect(await statusOf(one, started.id)).toEqual(OVER);
  });

  test("also if its address was opened in several browsers", async () => {
    for (let index = 0; index < 6; index++) await guess(index);
    browser = new Browser();
    page = await browser.open(started.url);
    for (let index = 6; index < 12; index++) await guess(index);

    expect(service.requests).toHaveLength(10);
    expect(await statusOf(one, started.id)).toEqual(OVER);
  });
});

describe("a consent goes on", () => {
  test("with a good key after nine refusals", async () => {
    for (let index = 0; index < 9; index++) await guess(index);
    await sendForm(browser, page, { key: KEY });

    expect(await statusOf(one, started.id)).toEqual(["completed", undefined]);
  });

  test("however often the service could not check a key", async () => {
    service.status = 503;
    for (let index = 0; index < 12; index++) await guess(index);
    service.status = undefined;
    await sendForm(browser, page, { key: KEY });

    expect(await statusOf(one, started.id)).toEqual(["completed", undefined]);
  });
});
