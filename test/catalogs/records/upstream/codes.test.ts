// The table of the platform's answer codes against the lists that are documented, and what becomes of each code.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CODES, entryOf } from "../../../../catalogs/records/upstream/codes";
import { ToolError } from "../../../../src/tools";
import { toolErrorRecord } from "../../../../src/tools/failure";
import { Platform } from "../platform";
import { rowOf } from "../rows";
import type { User } from "../run";

/** zoho.com/creator/help/api/v2/status-codes.html and manageengine.com/appcreator/help/api/v2/status-codes.html. */
const DOCUMENTED = [
  1000, 1020, 1030, 1040, 1060, 1080, 1090, 1130, 2892, 2893, 2894, 2896, 2897, 2898, 2899, 2930, 2933, 2945,
  2955, 2965, 3000, 3020, 3060, 3070, 3100, 3190, 3830, 3910, 3920, 3930, 3950, 3960, 3970, 4000, 8011, 8012,
  9210,
];
/** Of the criteria: zoho.com/creator/help/api/v2/get-records.html. */
const OF_CRITERIA = [3090];
/** Version 2.1 of the first page describes these statuses with their codes in other words. */
const UNDER_STATUS = [
  [401, 1000, /parameter is missing or given twice/],
  [401, 1060, /parameter is not valid/],
  [404, 1000, /address or a parameter/],
  [403, 1060, /not shared/],
] as const;

test("each documented code is in the table", () => {
  expect([...DOCUMENTED, ...OF_CRITERIA].filter((code) => CODES[code] === undefined)).toEqual([]);
});

test("each code of the table is documented, or names its source", () => {
  const known = [...DOCUMENTED, ...OF_CRITERIA];
  const others = Object.entries(CODES).filter(
    ([code, { source }]) => !known.includes(Number(code)) && source === undefined,
  );
  expect(others).toEqual([]);
});

test.each(UNDER_STATUS)("HTTP %d with code %d has a meaning of its own", (status, code, told) => {
  expect(entryOf(code, status)?.hint).toMatch(told);
});

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

/** The codes that are about the token or are no errors have tests of their own. */
const REFUSALS = Object.entries(CODES).filter(
  ([, { meaning }]) => !["done", "dead", "scope", "throttled"].includes(meaning),
);

describe.each(REFUSALS)("code %s", (code, { meaning, role }) => {
  const refuse = async (tool: string): Promise<ToolError> => {
    const row = rowOf(tool);
    platform.sandbox.fail(row.route, { kind: "refuse", status: 400, code: Number(code), text: "Refused." });
    return alice.failure(tool, row.input);
  };

  test("of a write says what is wrong and what to do, and that nothing was done", async () => {
    const error = await refuse("UpdateVendorRecord");
    const record = toolErrorRecord(error, undefined, false);

    expect(record.message.length).toBeGreaterThan(60);
    expect(record.additional_prompt_content?.length).toBeGreaterThan(20);
    expect(error.details.extra).not.toHaveProperty("outcome");
    expect(record.message).not.toContain("is unknown");
    expect(record.kind === "UPSTREAM_RUNTIME_UNMAPPED").toBe(meaning === "fault");
  });

  test.skipIf(role === undefined || role === "criteria")("names the parameter", async () => {
    const tools = { form: "InsertRecordsInVendorForm", job: "GetBulkReadJobDetails" };
    const tool = role === "form" || role === "job" ? tools[role] : "UpdateVendorRecord";

    expect((await refuse(tool)).message).toMatch(/Correct `\w+`\./);
  });
});

test.each([
  [2898, true],
  [2965, false],
  [1080, false],
])("code %d of a private link: whether its key may be wrong is %p", async (code, mayBe) => {
  const row = rowOf("FetchVendorReportRecords");
  platform.sandbox.fail(row.route, { kind: "refuse", status: 403, code, text: "Refused." });
  const { message } = await alice.failure(row.tool, row.input);

  expect(message.includes("Check the private link")).toBe(mayBe);
});

test("9280 on a list is an empty result, like 3100", async () => {
  const row = rowOf("FetchVendorRecords");
  platform.sandbox.fail(row.route, { kind: "refuse", status: 404, code: 9280, text: "Nothing." });

  expect(await alice.run(row.tool, row.input)).toEqual({ response_json: { code: 9280, data: [] } });
});
