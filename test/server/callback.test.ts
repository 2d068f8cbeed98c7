// The callback: what finishes a consent, and everything that must not.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider } from "../support/site";
import { agreed, atProvider, finish, flowRow, statusOf } from "./flows";
import { type Stage, startConsent, startStage } from "./stage";

const HTML = `<img src=x onerror=alert(1)>`;

let stage: Stage;
let redirect = "";
beforeAll(async () => {
  stage = await startStage();
  const { body } = await admin().get("/v1/admin/auth_providers/slack");
  redirect = String(at(body, "oauth2.redirect_uri"));
});
afterAll(() => stage[Symbol.asyncDispose]());

const admin = () => api(stage.site.url, stage.keys.admin);
const exchanges = () => stage.site.chat.calls("oauth.v2.access");

describe("two consents that are open together", () => {
  let pairs = 0;
  const pair = async (browsers: [Browser, Browser]) => {
    pairs += 1;
    const user_id = `pair${pairs}`;
    const first = await agreed(stage, { user_id, next_uri: "https://app.example/1" }, browsers[0]);
    const second = await agreed(stage, { user_id, next_uri: "https://app.example/2" }, browsers[1]);
    expect(second.id).not.toBe(first.id);
    return [first, second] as const;
  };
  const one = (): [Browser, Browser] => {
    const browser = new Browser();
    return [browser, browser];
  };
  const two = (): [Browser, Browser] => [new Browser(), new Browser()];

  test.each([
    ["in one browser, first first", one, false],
    ["in one browser, second first", one, true],
    ["in two browsers, first first", two, false],
    ["in two browsers, second first", two, true],
  ])("%s, complete on their own [fault: concurrent-consents]", async (_what, browsers, reversed) => {
    const flows = await pair(browsers());
    const order = reversed ? flows.toReversed() : [...flows];
    for (const flow of order) {
      expect(at(await statusOf(stage, flow.id), "status")).toBe("pending");
      const end = await finish(stage, flow);
      expect(end).toContain(flow === flows[0] ? "https://app.example/1" : "https://app.example/2");
      expect(at(await statusOf(stage, flow.id), "status")).toBe("completed");
    }
  });

  test("for the same wish are one, with one address", async () => {
    const first = await startConsent(stage, { user_id: "same" });
    const second = await startConsent(stage, { user_id: "same" });
    expect([second.id, second.url]).toEqual([first.id, first.url]);
  });
});

describe("a callback that is repeated", () => {
  test("after the end is 400, asks the provider nothing and changes nothing [fault: concurrent-consents]", async () => {
    const flow = await agreed(stage);
    await finish(stage, flow);
    const [before, calls] = [flowRow(stage, flow.id), exchanges()];
    const again = await flow.browser.open(flow.callback);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("already used");
    expect(flowRow(stage, flow.id)).toEqual(before);
    expect(exchanges()).toBe(calls);
  });

  test("at the same time is exchanged once", async () => {
    const flow = await agreed(stage);
    const calls = exchanges();
    const answers = await Promise.all(Array.from({ length: 5 }, () => flow.browser.open(flow.callback)));
    expect(exchanges()).toBe(calls + 1);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const answer of answers) expect([200, 400]).toContain(answer.status);
    expect(await finish(stage, flow)).toContain("Connected");
  });

  test("with another code uses nothing up twice", async () => {
    const flow = await agreed(stage);
    const other = new URL(flow.callback);
    other.searchParams.set("code", "another");
    await flow.browser.open(flow.callback);
    const calls = exchanges();
    await flow.browser.open(other.href);
    expect(exchanges()).toBe(calls);
    expect(at(await statusOf(stage, flow.id), "status")).toBe("pending");
  });
});

describe("a callback in another browser", () => {
  test.each([
    ["without a cookie", async () => new Browser()],
    [
      "with a cookie of its own",
      async () => {
        const browser = new Browser();
        await browser.open((await startConsent(stage, { user_id: "stranger" })).url);
        return browser;
      },
    ],
  ])("%s is 400 and does not use the state up", async (_what, stranger) => {
    const flow = await agreed(stage);
    const [before, calls] = [flowRow(stage, flow.id), exchanges()];
    const answer = await (await stranger()).open(flow.callback);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("another browser");
    expect(flowRow(stage, flow.id)).toEqual(before);
    expect(exchanges()).toBe(calls);
    expect(await finish(stage, flow)).toContain("Connected");
  });

  test("cannot refuse the consent either", async () => {
    const { id, state } = await atProvider(stage);
    await fetch(`${redirect}?error=access_denied&state=${state}`);
    expect(at(await statusOf(stage, id), "status")).toBe("pending");
  });

  test("that opened the address later has the only state that counts", async () => {
    const early = await agreed(stage);
    const late = { ...early, browser: new Browser() };
    const callback = await late.browser.toCallback(early.url, "alice");
    expect((await early.browser.open(early.callback)).status).toBe(400);
    expect(await finish(stage, { ...late, callback })).toContain("Connected");
  });
});

describe("an answer of the provider that is not a grant", () => {
  test.each([
    ["access_denied", "declined at the provider"],
    ["server_error", "the provider answered server_error"],
    ["temporarily_unavailable", "the provider answered temporarily_unavailable"],
    [HTML, "the provider answered with an error"],
    ["x".repeat(61), "the provider answered with an error"],
  ])(
    "error=%s ends the consent with a reason and wakes its poller [fault: refused-consent] [fault: html-in-error]",
    async (error, reason) => {
      const { id, browser, state } = await atProvider(stage);
      // Longer than a test may take: an answer shows that the callback ended the wait.
      const polling = statusOf(stage, id, 59);
      const query = new URLSearchParams({
        error,
        error_description: HTML,
        error_uri: `https://e.example/${HTML}`,
        state,
      });
      const page = await browser.open(`${redirect}?${query}`);
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(html).toContain("Not connected");
      expect(html).not.toContain("<img");
      expect(html).not.toContain("onerror");
      const record = await polling;
      expect(at(record, "status")).toBe("failed");
      expect(at(record, "status_reason")).toContain(reason);
      expect(JSON.stringify(record)).not.toContain("onerror");
    },
  );

  test("is final: the code of a later answer is not taken", async () => {
    const { id, browser, state } = await atProvider(stage);
    await browser.open(`${redirect}?error=access_denied&state=${state}`);
    const calls = exchanges();
    expect(await (await browser.open(`${redirect}?code=c&state=${state}`)).text()).not.toContain("<form");
    expect(exchanges()).toBe(calls);
    expect(at(await statusOf(stage, id), "status")).toBe("failed");
  });

  test("with a code that the provider does not know ends it too, without its details", async () => {
    const { id, browser, state } = await atProvider(stage);
    const page = await browser.open(`${redirect}?code=s3cr3t-code&state=${state}`);
    expect(await page.text()).toContain("Not connected");
    const record = await statusOf(stage, id);
    expect(at(record, "status")).toBe("failed");
    expect(stage.site.logLines.join("\n")).not.toContain("s3cr3t-code");
  });

  test.each<[string, (state: string) => string]>([
    ["no parameters", () => ""],
    ["a code alone", () => "?code=c"],
    ["an error alone", () => "?error=access_denied"],
    ["a state alone", (state) => `?state=${state}`],
    ["an empty state", () => "?code=c&state="],
    ["an unknown state", () => "?code=c&state=unknown"],
    [
      "an unknown state and an error",
      () =>
        `?error=${encodeURIComponent(HTML)}&error_description=${encodeURIComponent(HTML)}&state=${encodeURIComponent(HTML)}`,
    ],
    ["a state of 8 kB", () => `?code=c&state=${"x".repeat(8192)}`],
    ["a code of 8 kB", (state) => `?code=${"x".repeat(8192)}&state=${state}`],
    ["the state twice", (state) => `?code=c&state=${state}&state=${state}`],
    ["the code twice", (state) => `?code=a&code=b&state=${state}`],
    ["NUL in the state", (state) => `?code=c&state=${state}%00`],
    [
      "a state in another case",
      (state) => `?code=c&state=${state === state.toLowerCase() ? state.toUpperCase() : state.toLowerCase()}`,
    ],
  ])("%s is 400 and changes nothing [fault: refused-consent]", async (_what, query) => {
    const { id, browser, state } = await atProvider(stage);
    const before = flowRow(stage, id);
    const page = await browser.open(redirect + query(state));
    expect(page.status).toBe(400);
    const html = await page.text();
    expect(html).not.toContain("<img");
    expect(html).not.toContain("onerror");
    expect(html).not.toMatch(/\.ts:|\bat \//);
    expect(flowRow(stage, id)).toEqual(before);
    expect((await fetch(`${stage.site.url}/v1/health`)).status).toBe(200);
  });

  test("at the address of another provider is 400 and changes nothing", async () => {
    const body = { ...chatProvider(stage.site.chat, "mixup"), external_id: "mixup" };
    await admin().post("/v1/admin/auth_providers", body);
    const flow = await agreed(stage);
    const before = flowRow(stage, flow.id);
    const elsewhere = new URL(flow.callback);
    elsewhere.pathname = "/api/v1/oauth/mixup/callback";
    expect((await flow.browser.open(elsewhere.href)).status).toBe(400);
    expect(flowRow(stage, flow.id)).toEqual(before);
  });
});
