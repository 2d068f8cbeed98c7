// Every tool against the stand-in: what arrives, and what comes back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Platform } from "./platform";
import { ALL, MODES, named, PUBLISHED_READS, rowOf } from "./rows";
import { type Input, tool, type User } from "./run";

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

const request = () => {
  const [first, ...others] = platform.sandbox.requests;
  if (first === undefined || others.length > 0) throw new Error("Not exactly one request.");
  return first;
};
/** Runs a row's tool as it stands there, with changes. */
async function run(name: string, changes: Input = {}): Promise<unknown> {
  const { input } = await platform.live(rowOf(name), alice);
  return alice.run(name, { ...input, ...changes });
}

describe("the request has exactly the address of the route", () => {
  test.each(named(ALL))("%s", async (name, row) => {
    const { input, path } = await platform.live(row, alice);
    const output = await alice.run(name, input);
    expect(output).toMatchObject({ response_json: { code: 3000 } });
    const { method, target, headers, body, route } = request();
    expect({ method, path: target.split("?")[0], route }).toEqual({
      method: row.method,
      path,
      route: row.route,
    });
    expect(headers["accept"]).toBe("application/json");
    expect(headers["content-type"]).toBe(row.method === "GET" ? undefined : "application/json");
    expect(body).toBe(String(input["request_body"] ?? ""));
    expect(headers).not.toHaveProperty("environment");
    expect(headers).not.toHaveProperty("demo_user_name");
    expect(target).not.toMatch(/from|limit|max_records|record_cursor|field_config/);
  });

  test.each(named(ALL.filter(({ scope }) => scope !== undefined)))(
    "%s sends the token in the documented form",
    async (name, row) => {
      const { input } = await platform.live(row, alice);
      await alice.run(name, input);
      expect(request().headers["authorization"]).toMatch(/^Zoho-oauthtoken 1000\.[0-9a-f]+\.[0-9a-f]+$/);
    },
  );

  test.each(named([...PUBLISHED_READS, ...MODES.filter(({ scope }) => scope === undefined)]))(
    "%s sends the private link once, and no token",
    async (name, row) => {
      const { input } = await platform.live(row, alice);
      await alice.run(name, input);
      const { headers, query } = request();
      expect(headers).not.toHaveProperty("authorization");
      expect(query).toEqual([["privatelink", expect.any(String)]]);
    },
  );

  test.each(named(ALL.filter(({ scope }) => scope !== undefined)))(
    "%s needs its one scope only",
    async (name, row) => {
      const { input } = await platform.live(row, alice);
      const modest = platform.alice([row.scope ?? ""]);
      expect(await modest.run(name, input)).toMatchObject({ response_json: { code: 3000 } });
    },
  );
});

describe("what is read", () => {
  test("applications with the names that other tools need", async () => {
    expect(await run("GetApplicationMetaInfo")).toMatchObject({
      response_json: { applications: [{ workspace_name: "acme", link_name: "inventory" }, {}, {}] },
    });
  });

  test("values as the platform returns them", async () => {
    expect(await run("FetchVendorRecords")).toMatchObject({
      response_json: {
        data: [
          {
            Name: "Lamp",
            Quantity: "12",
            Price: "19.90",
            Tags: "new",
            Supplier: { display_value: "Nordwind" },
          },
          { Name: "Chair" },
          { Name: "Vase", Tags: "fragile,new" },
        ],
      },
    });
  });

  test.each([
    ["FetchVendorRecords", { start_record_index: 2, record_limit: 1 }],
    ["FetchVendorRecords", { start_record_index: "2", record_limit: "1" }],
    ["FetchVendorReportRecords", { record_fetch_start_index: 2, record_limit: 1 }],
  ])("a page: %s %j", async (name, changes) => {
    expect(await run(name, changes)).toMatchObject({ response_json: { data: [{ Name: "Chair" }] } });
    expect(request().target).toMatch(/[?&]from=2&limit=1$/);
  });

  test("missing and empty parameters are not sent", async () => {
    await run("FetchVendorRecords", { filter_criteria: "", record_limit: null });
    expect(request().target).not.toContain("?");
  });

  test.each([
    ["FetchVendorRecords", "start_record_index"],
    ["FetchVendorReportRecords", "record_fetch_start_index"],
  ])("%s: past the end and without a match the list is empty, not an error", async (name, from) => {
    const nothing = { response_json: { code: 3100, data: [] } };
    expect(await run(name, { [from]: 4 })).toEqual(nothing);
    expect(await run(name, { filter_criteria: 'Name == "none"' })).toEqual(nothing);
    expect(platform.sandbox.requests.map(({ status, code }) => [status, code])).toEqual([
      [404, 3100],
      [404, 3100],
    ]);
  });

  test("a bulk job until it is completed", async () => {
    const row = rowOf("GetBulkReadJobDetails");
    const { input } = await platform.live(row, alice);
    const status = async () => alice.run(row.tool, input);
    expect(await status()).toMatchObject({ response_json: { details: { status: "In-progress" } } });
    await status();
    expect(await status()).toMatchObject({
      response_json: {
        details: {
          status: "Completed",
          result: { count: 3, download_url: expect.stringMatching(/^\/creator\/v2\/bulk\//) },
        },
      },
    });
  });
});

describe("what is changed", () => {
  test("records are added, under a grant or a private link", async () => {
    for (const name of ["InsertRecordsInVendorForm", "AddRecordsToVendorForm"]) {
      expect(await run(name)).toMatchObject({
        response_json: { result: [{ code: 3000, data: { ID: expect.stringMatching(/^\d{19}$/) } }] },
      });
    }
    expect(platform.sandbox.records("us", "Products").map(({ values }) => values["Name"])).toEqual([
      "Lamp",
      "Chair",
      "Vase",
      "Desk",
      "Desk",
    ]);
  });

  test("records that match are changed and deleted", async () => {
    await run("UpdateVendorCreatorReportRecords");
    expect(platform.sandbox.records("us", "Products").map(({ values }) => values["Note"])).toEqual([
      undefined,
      "low",
      "low",
    ]);
    await run("DeleteReportRecords");
    expect(platform.sandbox.records("us", "Products").map(({ values }) => values["Name"])).toEqual(["Lamp"]);
  });

  test("one record is changed and deleted; the requested fields are returned", async () => {
    const request_body = JSON.stringify({
      data: { Note: "x" },
      result: { fields: ["Name"], message: true, tasks: true },
    });
    expect(await run("UpdateVendorRecord", { request_body })).toMatchObject({
      response_json: {
        code: 3000,
        data: { Name: "Lamp" },
        message: expect.any(String),
        tasks: { openurl: {} },
      },
    });
    await run("DeleteVendorRecord");
    expect(platform.sandbox.records("us", "Products").map(({ values }) => values["Name"])).toEqual([
      "Chair",
      "Vase",
    ]);
  });

  test.each(["UpdateVendorCreatorReportRecords", "DeleteReportRecords"])(
    "%s: no match changes nothing and is not an error",
    async (name) => {
      const request_body = JSON.stringify({ criteria: 'Name == "none"', data: { Note: "x" } });
      expect(await run(name, { request_body })).toEqual({ response_json: { code: 3100, result: [] } });
      expect(platform.sandbox.records("us", "Products")).toHaveLength(3);
    },
  );

  test.each([
    ["UpdateVendorCreatorReportRecords", "process_until_limit_enabled"],
    ["DeleteReportRecords", "process_records_up_to_limit"],
  ])(
    "%s: the flag is sent in the query, one call is made, and the answer has whether more remain",
    async (name, flag) => {
      platform.sandbox.add(
        "us",
        "Products",
        Array.from({ length: 250 }, (_, index) => ({ Name: `n${index}` })),
      );
      const request_body = JSON.stringify({ criteria: "ID != 0", data: { Note: "x" } });
      const output = await run(name, { request_body, [flag]: "true" });
      expect(output).toMatchObject({ response_json: { code: 3000, more_records: true } });
      expect(request().query).toEqual([["process_until_limit", "true"]]);
      expect(request().body).toBe(request_body);
    },
  );

  test.each([false, "false"])("the flag as %j is sent as false, never as true", async (flag) => {
    await run("UpdateVendorCreatorReportRecords", { process_until_limit_enabled: flag });
    expect(request().query).toEqual([["process_until_limit", "false"]]);
  });
});

describe("records that were not accepted", () => {
  test("some: the whole answer is returned, with a warning in the log", async () => {
    const data = [{ Name: "Desk" }, { Name: "Desk", Quantity: -1 }, { SKU: "L-1" }];
    const output = await run("InsertRecordsInVendorForm", { request_body: JSON.stringify({ data }) });
    expect(output).toMatchObject({
      response_json: {
        code: 3000,
        result: [
          { code: 3000 },
          { code: 3001, error: [expect.any(String)] },
          { code: 3002, error: { Name: expect.any(String), SKU: expect.any(String) } },
        ],
      },
    });
    expect(alice.logged).toEqual(["2 of 3 records were not accepted. See `result`."]);
  });

  test.each([
    ["InsertRecordsInVendorForm", { data: [{ SKU: "L-1" }, { Quantity: "many" }] }],
    ["AddRecordsToVendorForm", { data: [{ SKU: "L-1" }] }],
    ["UpdateVendorCreatorReportRecords", { criteria: "ID != 0", data: { Colour: "red" } }],
  ])("all: %s fails, with the whole answer", async (name, body) => {
    const { input } = await platform.live(rowOf(name), alice);
    const error = await alice.failure(name, { ...input, request_body: JSON.stringify(body) });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST", canRetry: false });
    expect(error.details.extra).toMatchObject({
      upstream_status: 200,
      upstream_code: 3000,
      response_json: {
        code: 3000,
        result: expect.arrayContaining([{ code: 3002, error: expect.anything() }]),
      },
    });
    expect(error.message).toMatch(/(Name|SKU|Colour|Quantity): \S/);
    expect(error.details.additionalPromptContent).toContain("`request_body`");
    expect(platform.sandbox.calls()).toBe(1);
  });

  test("too many match: the advice depends on whether the flag is set", async () => {
    const { input } = await platform.live(rowOf("DeleteReportRecords"), alice);
    const body = '{"code":3960,"message":"Too many."}';
    const failing = async (flag: boolean) => {
      platform.sandbox.fail("data.delete_many", { kind: "answer", status: 200, body });
      const { message } = await alice.failure("DeleteReportRecords", {
        ...input,
        process_records_up_to_limit: flag,
      });
      return message;
    };
    expect(await failing(false)).toContain("or set `process_records_up_to_limit`");
    expect(await failing(true)).toEndWith("Narrow the criteria.");
  });

  test("all that should be deleted are referred to", async () => {
    const changes = { report_identifier: "All_Suppliers", request_body: '{"criteria":"ID != 0"}' };
    const { input } = await platform.live(rowOf("DeleteReportRecords"), alice);
    const error = await alice.failure("DeleteReportRecords", { ...input, ...changes });
    expect(error.details.extra).toMatchObject({
      response_json: { result: [{ code: 3001 }, { code: 3001 }] },
    });
  });

  test("a change that is refused because of another field is reported and not retried", async () => {
    const [id = ""] = platform.sandbox.add("us", "Products", [{ Name: "Twin", SKU: "L-1" }]);
    const { input } = await platform.live(rowOf("UpdateVendorRecord"), alice);
    const error = await alice.failure("UpdateVendorRecord", { ...input, record_id: id });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST" });
    expect(error.message).toMatch(/^The platform refused this \(HTTP 200, code 3002\)\..* SKU: \S/);
    expect(error.details.extra).toMatchObject({
      upstream_code: 3002,
      response_json: { error: { SKU: expect.any(String) } },
    });
    expect(platform.sandbox.calls()).toBe(1);
  });
});

test("every tool of the catalog is among these", () => {
  for (const { tool: name } of ALL) expect(tool(name).name).toBe(name);
});
