// The platform's failures, row by row of its published table, on every tool that can meet them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GrantDead, ScopesLost, type ToolErrorKind } from "../../../src/tools";
import { Platform } from "./platform";
import { ALL, named, type Row, rowOf } from "./rows";
import { User } from "./run";
import { Stub } from "./stub";

let platform: Platform;
let alice: User;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => {
  platform.fresh();
  alice = platform.alice();
});
afterAll(() => platform.sandbox.stop());

const NOT_FOUND = "UPSTREAM_RUNTIME_NOT_FOUND";
const BAD_REQUEST = "UPSTREAM_RUNTIME_BAD_REQUEST";
const AUTH = "UPSTREAM_RUNTIME_AUTH_ERROR";
const UNMAPPED = "UPSTREAM_RUNTIME_UNMAPPED";

const family =
  (...names: string[]) =>
  ({ route }: Row): boolean =>
    names.some((name) => route.startsWith(name));
const everywhere = (): boolean => true;
const inApplications = ({ route }: Row): boolean => !["meta.applications", "meta.workspace"].includes(route);
const withOwner = ({ route }: Row): boolean => route !== "meta.applications";
const adds = family("data.add", "publish.add");
const updates = family("data.update");
const deletes = family("data.delete");
const writes = (row: Row): boolean => adds(row) || updates(row) || deletes(row);
const oneRecord = family("data.get", "publish.get", "data.update", "data.delete");
const lists = family("data.list", "publish.list");
const byCriteria = family("data.list", "publish.list", "data.update_many", "data.delete_many");
const reports = family(
  "data.list",
  "data.get",
  "data.update",
  "data.delete",
  "publish.list",
  "publish.get",
  "bulk",
);
const forms = family("meta.fields", "data.add", "publish.add");
const bulk = family("bulk");
const data = family("data", "publish");

/** HTTP status, code, where it is met, kind of the error, its status. */
const TABLE: [number, number, (row: Row) => boolean, ToolErrorKind, number][] = [
  [200, 3060, adds, BAD_REQUEST, 403],
  [200, 3070, writes, BAD_REQUEST, 400],
  [200, 3190, oneRecord, NOT_FOUND, 404],
  [200, 3910, family("meta.forms"), NOT_FOUND, 404],
  [200, 3920, family("meta.pages"), NOT_FOUND, 404],
  [200, 3930, family("meta.reports"), NOT_FOUND, 404],
  [200, 3950, adds, BAD_REQUEST, 400],
  [200, 3960, family("data.update_many", "data.delete_many"), BAD_REQUEST, 400],
  [200, 3970, lists, BAD_REQUEST, 400],
  [200, 8011, writes, BAD_REQUEST, 400],
  [200, 8012, writes, BAD_REQUEST, 400],
  [400, 3020, (row) => row.method !== "GET", BAD_REQUEST, 400],
  [400, 9210, data, UNMAPPED, 400],
  [401, 1000, everywhere, AUTH, 401],
  [403, 2933, inApplications, BAD_REQUEST, 403],
  [403, 1060, inApplications, BAD_REQUEST, 403],
  [403, 2896, deletes, BAD_REQUEST, 403],
  [403, 2897, updates, BAD_REQUEST, 403],
  [403, 2898, family("data.list", "data.get", "publish.list", "publish.get"), BAD_REQUEST, 403],
  [403, 2899, adds, BAD_REQUEST, 403],
  [403, 1080, everywhere, BAD_REQUEST, 403],
  [403, 1130, everywhere, BAD_REQUEST, 403],
  [403, 2965, adds, BAD_REQUEST, 403],
  [404, 1000, everywhere, BAD_REQUEST, 400],
  [404, 1040, withOwner, NOT_FOUND, 404],
  [404, 2892, inApplications, NOT_FOUND, 404],
  [404, 2893, forms, NOT_FOUND, 404],
  [404, 2894, reports, NOT_FOUND, 404],
  [404, 1090, family("meta.pages"), NOT_FOUND, 404],
  [404, 2930, everywhere, BAD_REQUEST, 400],
  [404, 3100, oneRecord, NOT_FOUND, 404],
  [400, 3090, byCriteria, BAD_REQUEST, 400],
  [405, 1020, everywhere, UNMAPPED, 405],
  [400, 7120, bulk, NOT_FOUND, 404],
  [400, 7130, bulk, BAD_REQUEST, 403],
  [400, 7150, family("bulk.create"), BAD_REQUEST, 400],
  [200, 4711, everywhere, UNMAPPED, 502],
  [418, 4711, everywhere, UNMAPPED, 418],
];

const CASES = TABLE.flatMap(([status, code, applies, kind, statusCode]) => {
  // 3100 on one of many is no error: see below.
  const rows = ALL.filter((row) => applies(row) && !(code === 3100 && byCriteria(row)));
  return named(rows).map(([name, row]) => [status, code, name, { row, kind, statusCode }] as const);
});

test.each(CASES)("HTTP %d with code %d: %s", async (status, code, name, { row, kind, statusCode }) => {
  platform.sandbox.fail(row.route, { kind: "refuse", status, code, text: "Because of that." });
  const error = await alice.failure(name, row.input);
  expect({ kind: error.kind, retry: error.canRetry, status: error.details.statusCode }).toEqual({
    kind,
    retry: false,
    status: statusCode,
  });
  expect(error.message).toContain(`HTTP ${status}, code ${code}`);
  expect(error.message).toContain("Because of that.");
  expect(error.details.extra).toEqual({
    upstream_status: status,
    upstream_code: code,
    response_json: { code, message: "Because of that." },
  });
  expect(error.details.developerMessage).toBe(`${name}: HTTP ${status}, code ${code}`);
  expect(error).not.toBeInstanceOf(GrantDead);
  expect(platform.sandbox.calls()).toBe(1);
});

describe("nothing matches", () => {
  test.each(named(ALL.filter(byCriteria)))("%s: an empty list at any status", async (name, row) => {
    const list = row.method === "GET" ? "data" : "result";
    for (const status of [404, 200]) {
      platform.sandbox.fail(row.route, { kind: "refuse", status, code: 3100 });
      expect(await alice.run(name, row.input)).toEqual({ response_json: { code: 3100, [list]: [] } });
    }
  });

  test("an unknown report is not an empty list", async () => {
    const row = rowOf("FetchVendorRecords");
    const error = await alice.failure(row.tool, { ...row.input, report_link_name: "Nothing" });
    expect(error).toMatchObject({ kind: NOT_FOUND });
  });
});

describe("quota and rates", () => {
  test.each(named(ALL))("%s: the calls of the day are used up, and none is retried", async (name, row) => {
    platform.sandbox.fail(row.route, { kind: "quota" });
    const error = await alice.failure(name, row.input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", canRetry: false });
    expect(platform.sandbox.calls()).toBe(1);
    expect(alice.clock.sleeps).toEqual([]);
  });
});

describe("the grant", () => {
  const GRANTED = ALL.filter(({ scope }) => scope !== undefined);

  test.each(named(GRANTED))(
    "%s: a token that is refused is reported as a dead grant, once",
    async (name, row) => {
      const stranger = new User({ token: "1000.un.known", serverUrl: platform.sandbox.us.apiUrl });
      const error = await stranger.failure(name, row.input);
      expect(error).toBeInstanceOf(GrantDead);
      expect(error.message).toContain("another data center than VENDOR_SERVER_URL");
      expect(error.details.extra).toMatchObject({
        upstream_status: 401,
        upstream_code: 1030,
        response_json: { description: expect.any(String) },
      });
      expect(platform.sandbox.calls()).toBe(1);
    },
  );

  test("the error mentions another data center if the provider returned one", async () => {
    const { accessToken } = platform.sandbox.issueToken("carla");
    const grant = { facts: { api_domain: platform.sandbox.eu.apiUrl } };
    const carla = new User({ token: accessToken, grant, serverUrl: platform.sandbox.us.apiUrl });
    const error = await carla.failure("GetApplicationMetaInfo");
    expect(error).toBeInstanceOf(GrantDead);
    expect(error.message).toContain("belongs to another data center");
    expect(error.message).not.toContain("127.0.0.1");
    const here = { serverUrl: platform.sandbox.eu.apiUrl };
    expect(await carla.run("GetApplicationMetaInfo", {}, here)).toMatchObject({
      response_json: { code: 3000 },
    });
  });

  test.each(named(GRANTED))("%s: a missing scope is named, and nothing is retried", async (name, row) => {
    const modest = platform.alice(row.scope === "report.READ" ? ["form.CREATE"] : ["report.READ"]);
    const error = await modest.failure(name, row.input);
    expect(error).toBeInstanceOf(ScopesLost);
    expect(error).toMatchObject({ kind: AUTH, needed: [`ZohoCreator.${row.scope}`] });
    expect(error.message).toContain(`ZohoCreator.${row.scope}`);
    expect(platform.sandbox.calls()).toBe(1);
  });

  test("creating a job has another scope than reading it", async () => {
    const creator = platform.alice(["bulk.CREATE"]);
    const error = await creator.failure("GetBulkReadJobDetails", rowOf("GetBulkReadJobDetails").input);
    expect(error).toMatchObject({ needed: ["ZohoCreator.bulk.READ"] });
  });

  test("HTTP 401 without a code is not a dead grant", async () => {
    platform.sandbox.fail("data.list", {
      kind: "answer",
      status: 401,
      body: "<h1>Sign in</h1>",
      type: "text/html",
    });
    const error = await alice.failure("FetchVendorRecords", rowOf("FetchVendorRecords").input);
    expect(error.constructor.name).toBe("ToolError");
    expect(error).toMatchObject({ kind: AUTH });
  });
});

describe("the text of an error", () => {
  const failing = async (fault: { status: number; body: string; type?: string }) => {
    platform.sandbox.fail("data.list", { kind: "answer", ...fault });
    return alice.failure("FetchVendorRecords", rowOf("FetchVendorRecords").input);
  };

  test.each([
    ["a message", '{"code":1080,"message":"It is off."}', "It is off."],
    ["a description", '{"code":1080,"description":"It is off."}', "It is off."],
    ["both", '{"code":1080,"description":"No.","message":"It is off."}', "It is off."],
    ["an empty message", '{"code":1080,"description":"It is off.","message":""}', "It is off."],
    ["neither", '{"code":1080}', "Forbidden"],
    ["no text", '{"code":1080,"message":{"a":1}}', "Forbidden"],
  ])("%s", async (_, body, text) => {
    const error = await failing({ status: 403, body });
    expect(error.message).toStartWith(`The platform refused this: ${text} (HTTP 403, code 1080).`);
    expect(error.message).not.toContain("undefined");
  });

  test("is short and printable for any message of the platform", async () => {
    const message = `a\n\u0007b${"x".repeat(2000)}`;
    const error = await failing({ status: 403, body: JSON.stringify({ code: 1080, message }) });
    expect(error.message).toContain("a bxxx");
    expect(error.message.length).toBeLessThan(800);
  });

  test.each<[number, string]>([
    [2930, "another version of the API"],
    [3960, "Narrow the criteria."],
    [3090, "operators and quotes"],
    [2894, "This report does not exist"],
  ])("code %d has a hint", async (code, hint) => {
    const error = await failing({ status: 404, body: JSON.stringify({ code, message: "upload rule" }) });
    expect(error.message).toContain("upload rule");
    expect(error.message).toContain(hint);
  });

  test("an answer that is not JSON is included as text", async () => {
    const error = await failing({ status: 404, body: "<h1>Nothing here</h1>", type: "text/html" });
    expect(error).toMatchObject({ kind: UNMAPPED });
    expect(error.details.extra).toEqual({ upstream_status: 404, response_text: "<h1>Nothing here</h1>" });
  });

  test.each(["text", "[1]", "null", '"3000"', '{"code":"3000"}', "{}", ""])(
    "HTTP 200 with %j is not a success",
    async (body) => {
      platform.sandbox.fail("data.list", { kind: "answer", body }, 2);
      const error = await alice.failure("FetchVendorRecords", rowOf("FetchVendorRecords").input);
      expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR" });
    },
  );
});

test("an answer that redirects is refused, and the token goes nowhere else", async () => {
  await using elsewhere = new Stub({ body: { code: 3000 } });
  await using stub = new Stub({
    status: 307,
    body: "",
    headers: { location: `${elsewhere.url}/creator/v2/meta/applications` },
  });
  const user = new User({ token: "1000.a.b", serverUrl: stub.url });
  const error = await user.failure("GetApplicationMetaInfo");
  expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", canRetry: false });
  expect(stub.requests).toHaveLength(1);
  expect(elsewhere.requests).toEqual([]);
});
