// Every kind of injected fault, the quotas, and the recorded requests.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type Fault, type SheetsSandbox } from ".";
import { callerOf, messageOf, tokenRequest, type Call } from "./test-client";

let sandbox: SheetsSandbox;
let alice: Call;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  alice = callerOf(sandbox);
  id = sandbox.addFile();
});
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
  sandbox.setQuota({});
});
afterAll(() => sandbox.stop());

const read = (): Promise<Response> =>
  fetch(`${sandbox.url}/v4/spreadsheets/${id}`, {
    headers: {
      authorization: `Bearer ${sandbox.issueToken("alice", ["https://www.googleapis.com/auth/drive.file"]).accessToken}`,
    },
  });
const write = () =>
  alice("PUT", `/v4/spreadsheets/${id}/values/A1?valueInputOption=RAW`, { values: [["done"]] });

describe("answers that replace the real one", () => {
  const date = new Date("2026-01-02T03:04:05Z");
  test.each<[string, Fault, number, string | null, RegExp]>([
    ["a rate limit with seconds", { kind: "rate_limit", retryAfter: 30 }, 429, "30", /RESOURCE_EXHAUSTED/],
    [
      "with a date",
      { kind: "rate_limit", retryAfter: date },
      429,
      "Fri, 02 Jan 2026 03:04:05 GMT",
      /RATE_LIMIT/,
    ],
    ["without a header", { kind: "rate_limit" }, 429, null, /Quota exceeded/],
    ["one of the file interface", { kind: "drive_error" }, 403, null, /"reason":"userRateLimitExceeded"/],
    ["5xx", { kind: "server_error", status: 502 }, 502, null, /^<!DOCTYPE html>/],
    ["no JSON", { kind: "not_json", body: "oops" }, 200, null, /^oops$/],
    [
      "a refusal",
      { kind: "error", code: 403, status: "PERMISSION_DENIED", message: "off", reason: "SERVICE_DISABLED" },
      403,
      null,
      /"message":"off".*"reason":"SERVICE_DISABLED"/,
    ],
  ])("%s", async (_, fault, status, retryAfter, body) => {
    sandbox.fail("spreadsheets.get", fault);
    const answer = await read();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(await answer.text()).toMatch(body);
    expect((await read()).status).toBe(200);
  });
});

test.each([
  ["before the work has no effect", { kind: "reset_before" }, null],
  ["after the work leaves the value written", { kind: "reset_after" }, "done"],
] as const)("a connection that breaks %s", async (_, fault, entered) => {
  const fresh = sandbox.addFile();
  sandbox.fail("spreadsheets.values.batchUpdate", fault);
  const data = [{ range: "A1", values: [["done"]] }];
  // The client itself retries a PUT after a broken connection, but not a POST.
  const failure = await alice("POST", `/v4/spreadsheets/${fresh}/values:batchUpdate`, {
    valueInputOption: "RAW",
    data,
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "ECONNRESET" });
  expect(sandbox.cell(fresh, "Sheet1", "A1").entered).toBe(entered);
  expect(sandbox.requests).toMatchObject([{ method: "spreadsheets.values.batchUpdate", status: null }]);
});

test("a server that fails after the work", async () => {
  sandbox.fail("spreadsheets.values.update", { kind: "late_server_error" });
  expect((await write()).status).toBe(503);
  expect(sandbox.cell(id, "Sheet1", "A1").entered).toBe("done");
});

test("does nothing for a caller that has disconnected", async () => {
  const fresh = sandbox.addFile();
  sandbox.fail("spreadsheets.get", { kind: "delay", ms: 60 });
  const gone = await fetch(`${sandbox.url}/v4/spreadsheets/${fresh}`, {
    signal: AbortSignal.timeout(20),
  }).catch((error: unknown) => error);
  expect(gone).toMatchObject({ name: "TimeoutError" });
});

test("a fault of one method does not affect others, and is used once", async () => {
  sandbox.fail("token", { kind: "server_error" }, 2);
  expect((await read()).status).toBe(200);
  expect(await tokenRequest(sandbox, { grant_type: "authorization_code" }).catch(() => "no JSON")).toBe(
    "no JSON",
  );
});

test("quotas are counted per person and minute, reads and writes apart", async () => {
  let now = 0;
  await using other = await startSheetsSandbox({ now: () => now, quota: { reads: 2, writes: 1 } });
  const file = other.addFile();
  const call = callerOf(other);
  const get = () => call("GET", `/v4/spreadsheets/${file}`);
  expect([await get(), await get(), await get()].map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(messageOf(await get())).toContain("'Read requests per minute per user'");
  expect((await call("POST", "/v4/spreadsheets", {})).status).toBe(200);
  expect((await call("POST", "/v4/spreadsheets", {})).status).toBe(429);
  now += 60_000;
  expect((await get()).status).toBe(200);
});

test("requests are recorded unchanged", async () => {
  await write();
  expect(sandbox.requests).toMatchObject([
    {
      method: "spreadsheets.values.update",
      verb: "PUT",
      path: `/v4/spreadsheets/${id}/values/A1`,
      query: { valueInputOption: "RAW" },
      body: { values: [["done"]] },
      person: "alice",
      status: 200,
    },
  ]);
  expect(sandbox.calls()).toBe(1);
  expect(sandbox.calls("spreadsheets.get")).toBe(0);
});
