// What the tools say about answers, exports, criteria and private links, as the platform's pages describe them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  BULK_RECORDS,
  NO_MATCH_ROWS,
  PUBLISHED_PATHS,
} from "../../../catalogs/sandbox/records/behaviour/answers";
import { at } from "../../support/api";
import { Platform } from "./platform";
import { ALL, named, rowOf } from "./rows";
import { tool, type User } from "./run";

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

const SEARCHES = ["data.list", "publish.list", "data.update_many", "data.delete_many"];

describe.each(NO_MATCH_ROWS)("code $code", ({ code, statuses }) => {
  test.each(named(ALL.filter(({ route }) => SEARCHES.includes(route))))(
    "%s: an empty list",
    async (name, row) => {
      const list = row.method === "GET" ? "data" : "result";
      for (const status of statuses) {
        platform.sandbox.fail(row.route, { kind: "refuse", status, code });
        expect(await alice.run(name, row.input)).toEqual({ response_json: { code, [list]: [] } });
      }
    },
  );

  test("is not an empty list for one record", async () => {
    const row = rowOf("FetchVendorRecordDetail");
    platform.sandbox.fail(row.route, { kind: "refuse", status: 404, code });
    expect((await alice.failure(row.tool, row.input)).kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  });
});

describe("a bulk export", () => {
  test("is described by what it exports, and by what reads records here", () => {
    const { description } = tool("CreateBulkReadJob");
    expect(description).toContain(BULK_RECORDS.default.toLocaleString("en"));
    expect(description).toContain(BULK_RECORDS.most.toLocaleString("en"));
    expect(description).not.toContain("or more");
    for (const name of ["CreateBulkReadJob", "GetBulkReadJobDetails"])
      expect(tool(name).description).toContain("FetchVendorRecords");
  });

  test("that is completed says that its file cannot be opened, and what to do", async () => {
    const row = rowOf("GetBulkReadJobDetails");
    const { input } = await platform.live(row, alice);
    const states: unknown[] = [];
    for (let poll = 0; poll < 4; poll++) states.push(await alice.run(row.tool, input));
    const [first, last] = [states[0], states[3]];
    expect(at(first, "response_json.details.result")).toBeUndefined();
    expect(at(first, "instructions")).toBeUndefined();
    expect(at(last, "response_json.details.result.download_url")).toBeString();
    expect(at(last, "instructions")).toContain("opens only with the user's token");
    expect(at(last, "instructions")).toContain("FetchVendorRecords");
  });
});

test.each(["FetchVendorReportRecords", "FetchRecordDetail", "AddRecordsToVendorForm"])(
  "%s says where the key of a private link is",
  (name) => {
    const parameters = JSON.stringify(tool(name).input);
    for (const path of PUBLISHED_PATHS) expect(parameters).toContain(path);
  },
);

test.each(["FetchVendorRecords", "FetchVendorReportRecords"])(
  "%s names parts of composite fields",
  (name) => {
    const parameters = JSON.stringify(tool(name).input);
    for (const part of ["Name.first_name", "Address.district_city"]) expect(parameters).toContain(part);
  },
);
