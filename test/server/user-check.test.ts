// The form of the user check: who may send it, and what each answer does.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { agreed, atProvider, flowRow, statusOf } from "./flows";
import { type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const admin = () => api(stage.site.url, stage.keys.admin);

describe("the form of the user check", () => {
  const toCheck = async () => {
    const flow = await agreed(stage);
    const page = await flow.browser.open(flow.callback);
    const check = /name="check" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const post = (
      form: Record<string, string>,
      headers: Record<string, string> = {},
      browser = flow.browser,
    ) => browser.open(flow.url, { method: "POST", headers, body: new URLSearchParams(form) });
    return { ...flow, check, post };
  };

  test.each<[string, Record<string, string>, number]>([
    ["another site", { origin: "https://evil.example" }, 403],
    ["this host under another port", { origin: "http://127.0.0.1:1" }, 403],
    ["no origin that is one", { origin: "nonsense" }, 403],
  ])("sent from %s is refused and changes nothing", async (_what, headers, status) => {
    const { id, check, post } = await toCheck();
    const before = flowRow(stage, id);
    expect((await post({ check, answer: "yes" }, headers)).status).toBe(status);
    expect(flowRow(stage, id)).toEqual(before);
  });

  test("is taken from a browser that hides the origin, as our own pages ask it to", async () => {
    const { check, post } = await toCheck();
    expect(await (await post({ check, answer: "yes" }, { origin: "null" })).text()).toContain("Connected");
  });

  test.each<[string, (check: string) => Record<string, string>]>([
    ["no proof", () => ({ answer: "yes" })],
    ["an empty proof", () => ({ check: "", answer: "yes" })],
    ["another proof", (check) => ({ check: check.replaceAll(/[0-9]/g, "a"), answer: "yes" })],
    ["nothing", () => ({})],
  ])("with %s is 400 and changes nothing", async (_what, form) => {
    const { id, check, post } = await toCheck();
    const before = flowRow(stage, id);
    expect((await post(form(check))).status).toBe(400);
    expect(flowRow(stage, id)).toEqual(before);
  });

  test("from another browser is 400 and changes nothing, proof or not", async () => {
    const { id, check, post } = await toCheck();
    const before = flowRow(stage, id);
    expect((await post({ check, answer: "yes" }, {}, new Browser())).status).toBe(400);
    expect(flowRow(stage, id)).toEqual(before);
  });

  test("before the callback is 400", async () => {
    const { id, browser, url } = await atProvider(stage);
    const answer = await browser.open(url, {
      method: "POST",
      body: new URLSearchParams({ answer: "yes", check: "x" }),
    });
    expect(answer.status).toBe(400);
    expect(at(await statusOf(stage, id), "status")).toBe("pending");
  });

  test("with no ends the consent, wakes its poller, and keeps nothing", async () => {
    const { id, check, post } = await toCheck();
    // Longer than a test may take: an answer shows that the refusal ended the wait.
    const polling = statusOf(stage, id, 59);
    expect(await (await post({ check, answer: "no" })).text()).toContain("Not connected");
    const record = await polling;
    expect({ status: at(record, "status"), reason: at(record, "status_reason") }).toEqual({
      status: "failed",
      reason: "the person said that this is not their account",
    });
    const user = String(at(record, "user_id"));
    const list = await admin().get(`/v1/admin/user_connections?user_id=${user}`);
    expect(at(list.body, "items")).toEqual([]);
    expect(flowRow(stage, id)).toMatchObject({
      sealed_grant: null,
      sealed_exchange: null,
      sealed_address: null,
    });
    expect(await (await post({ check, answer: "yes" })).text()).toContain("Not connected");
  });

  test("counts anything but yes as no", async () => {
    const { id, check, post } = await toCheck();
    await post({ check, answer: "YES!" });
    expect(at(await statusOf(stage, id), "status")).toBe("failed");
  });

  test("sent twice at once stores one grant", async () => {
    const { id, check, post } = await toCheck();
    const pages = await Promise.all([1, 2].map(() => post({ check, answer: "yes" })));
    for (const page of pages) expect(await page.text()).toContain("Connected");
    const record = await statusOf(stage, id);
    expect(at(record, "status")).toBe("completed");
  });
});
