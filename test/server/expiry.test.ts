// The lifetime of a consent: 24 hours unopened, ten minutes from the first opening on. Time passes by the clock alone.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { agreed, statusOf } from "./flows";
import { databaseOf, dump, type Stage, startConsent, startStage } from "./stage";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let stage: Stage;
beforeEach(async () => {
  stage = await startStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const stateOf = async (id: string) => at(await statusOf(stage, id), "status");
const exchanges = () => stage.site.chat.calls("oauth.v2.access");

async function expectExpired(id: string): Promise<void> {
  const record = await statusOf(stage, id);
  expect({
    status: at(record, "status"),
    reason: at(record, "status_reason"),
    url: at(record, "url"),
  }).toEqual({
    status: "failed",
    reason: "the consent was not finished in time; start a new authorization",
    url: undefined,
  });
  expect(dump(databaseOf(stage.site))["connections"]).toEqual([]);
}

describe("an address that is never opened", () => {
  test("works for 24 hours", async () => {
    const { id, url } = await startConsent(stage);
    stage.clock.move(24 * HOUR - MINUTE);
    expect(await stateOf(id)).toBe("pending");
    await new Browser().consent(url, "alice");
    expect(await stateOf(id)).toBe("completed");
  });

  test("is over after that, and the same wish gets another", async () => {
    const { id, url } = await startConsent(stage);
    stage.clock.move(24 * HOUR);
    await expectExpired(id);
    const page = await new Browser().open(url);
    expect(page.status).toBe(200);
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(await page.text()).toContain("Not connected");
    const again = await startConsent(stage);
    expect(again.id).not.toBe(id);
    expect(at(again.answer.body, "status")).toBe("pending");
  });
});

test("an address that a scanner looks at by HEAD is not opened by that", async () => {
  const { id, url } = await startConsent(stage);
  const looked = await fetch(url, { method: "HEAD", redirect: "manual" });
  expect({ status: looked.status, cookie: looked.headers.get("set-cookie") }).toEqual({
    status: 200,
    cookie: null,
  });
  stage.clock.move(HOUR);
  await new Browser().consent(url, "alice");
  expect(await stateOf(id)).toBe("completed");
});

describe("an address that was opened", () => {
  test("gives the person ten minutes", async () => {
    const flow = await agreed(stage);
    stage.clock.move(9 * MINUTE);
    const page = await flow.browser.open(flow.callback);
    expect(await (await flow.browser.answer(page, stage.site.url, "yes")).text()).toContain("Connected");
  });

  test("and no second ten by opening it again, here or elsewhere", async () => {
    const flow = await agreed(stage);
    stage.clock.move(6 * MINUTE);
    await flow.browser.open(flow.url);
    await new Browser().open(flow.url);
    expect(await stateOf(flow.id)).toBe("pending");
    stage.clock.move(4 * MINUTE);
    await expectExpired(flow.id);
  });

  test("takes no callback after that, and asks the provider nothing", async () => {
    const flow = await agreed(stage);
    stage.clock.move(10 * MINUTE);
    const page = await flow.browser.open(flow.callback);
    expect(await page.text()).toContain("Not connected");
    expect(exchanges()).toBe(0);
    await expectExpired(flow.id);
  });

  test("takes no yes after that", async () => {
    const flow = await agreed(stage);
    const page = await flow.browser.open(flow.callback);
    stage.clock.move(10 * MINUTE);
    const answer = await flow.browser.answer(page, stage.site.url, "yes");
    expect(await answer.text()).toContain("Not connected");
    await expectExpired(flow.id);
  });
});

test("a poller learns that time is over long before its own wait ends", async () => {
  const flow = await agreed(stage);
  stage.clock.move(10 * MINUTE - 700);
  // 59 s are longer than a test may take.
  expect(at(await statusOf(stage, flow.id, 59), "status")).toBe("failed");
  await expectExpired(flow.id);
});

test("a consent that ended is still told of a week later, and forgotten in time", async () => {
  const { id } = await startConsent(stage);
  stage.clock.move(7 * 24 * HOUR);
  await startConsent(stage, { user_id: "other" });
  expect(await stateOf(id)).toBe("failed");
  stage.clock.move(2 * 24 * HOUR);
  await startConsent(stage, { user_id: "another" });
  const answer = await api(stage.site.url, stage.keys.run).get(`/v1/auth/status?id=${id}`);
  expect(answer.status).toBe(400);
});
