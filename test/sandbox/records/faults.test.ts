// Every kind of injected fault, and the recorded requests.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Fault, type RecordsSandbox, startRecordsSandbox } from ".";
import { call } from "./test-client";

let sandbox: RecordsSandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startRecordsSandbox();
  token = sandbox.issueToken("alice").accessToken;
});
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});
afterAll(() => sandbox.stop());

const APPLICATIONS = "/creator/v2/meta/applications";
const FORM = "/creator/v2/data/acme/inventory/form/Products";
const body = { data: [{ Name: "Desk" }] };
const desks = (): number =>
  sandbox.records("us", "Products").filter(({ values }) => values["Name"] === "Desk").length;

describe("answers that replace the real one", () => {
  const date = new Date("2026-01-02T03:04:05Z");
  test.each<[string, Fault, number, string | null, RegExp]>([
    ["a rate limit", { kind: "rate_limit" }, 429, null, /"code":2955/],
    ["with seconds", { kind: "rate_limit", retryAfter: 30 }, 429, "30", /2955/],
    ["with a date", { kind: "rate_limit", retryAfter: date }, 429, "Fri, 02 Jan 2026 03:04:05 GMT", /2955/],
    ["a quota", { kind: "quota" }, 200, null, /"code":4000/],
    [
      "any code",
      { kind: "refuse", status: 403, code: 1080, text: "off" },
      403,
      null,
      /^\{"code":1080,"message":"off"\}$/,
    ],
    [
      "described",
      { kind: "refuse", status: 401, code: 1, textIn: "description" },
      401,
      null,
      /"description"/,
    ],
    ["without text", { kind: "refuse", status: 401, code: 1, textIn: null }, 401, null, /^\{"code":1\}$/],
    ["5xx", { kind: "server_error" }, 500, null, /^<!DOCTYPE html>/],
    ["this very answer", { kind: "answer", body: "oops" }, 200, null, /^oops$/],
  ])("%s", async (_, fault, status, retryAfter, text) => {
    sandbox.fail("meta.applications", fault);
    const headers = { accept: "application/json", authorization: `Zoho-oauthtoken ${token}` };
    const answer = await fetch(sandbox.us.apiUrl + APPLICATIONS, { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(await answer.text()).toMatch(text);
    expect(await call(sandbox.us, `GET ${APPLICATIONS}`, { token })).toMatchObject({ code: "3000" });
    expect(sandbox.calls("meta.applications")).toBe(2);
  });
});

describe("the work and its answer", () => {
  test.each<[string, Fault, number]>([
    ["a reset before the work has no effect", { kind: "reset_before" }, 0],
    ["a reset after the work keeps the record", { kind: "reset_after" }, 1],
  ])("%s", async (_, fault, added) => {
    const before = desks();
    sandbox.fail("data.add", fault);
    const failure = await call(sandbox.us, `POST ${FORM}`, { token, body }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "ECONNRESET" });
    expect(desks() - before).toBe(added);
    expect(sandbox.requests).toMatchObject([
      { route: "data.add", status: null, code: null, person: "alice" },
    ]);
  });

  test("a gateway loses the answer", async () => {
    const before = desks();
    sandbox.fail("data.add", { kind: "server_error_after" });
    expect(await call(sandbox.us, `POST ${FORM}`, { token, body })).toMatchObject({ status: 502 });
    expect(desks() - before).toBe(1);
  });

  test("a slow answer is delayed after immediate work", async () => {
    const before = desks();
    sandbox.fail("data.add", { kind: "slow", ms: 60 });
    let answered = false;
    const answer = call(sandbox.us, `POST ${FORM}`, { token, body }).finally(() => void (answered = true));
    while (sandbox.calls("data.add") === 0) await Bun.sleep(1);
    expect([desks() - before, answered]).toEqual([1, false]);
    expect(await answer).toMatchObject({ code: "3000" });
  });

  test("a token endpoint that refuses or breaks", async () => {
    const form = () => new URLSearchParams({ grant_type: "refresh_token" });
    sandbox.fail("refresh", { kind: "oauth_error", error: "Access Denied", status: 400 });
    const refused = await fetch(sandbox.us.tokenUrl, { method: "POST", body: form() });
    expect([refused.status, await refused.text()]).toEqual([400, '{"error":"Access Denied"}']);
    sandbox.fail("refresh", { kind: "server_error", status: 503 });
    expect((await fetch(sandbox.us.tokenUrl, { method: "POST", body: form() })).status).toBe(503);
  });
});
