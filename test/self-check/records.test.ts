// The self-check of the records platform, against the stand-in and against a stand-in that deviates.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type RecordsSandbox, startRecordsSandbox } from "../sandbox/records";
import { type Checked, checksWith } from "./deployment";
import { RECORDS_SCOPES, recordsChecked } from "./records-checked";
import { RECORDS_DEVIATIONS } from "./records-deviations";

const API = "https://www.zohoapis.com";

describe("the self-check of the records platform", () => {
  let records: RecordsSandbox;
  let checked: Checked;
  beforeAll(async () => {
    records = await startRecordsSandbox();
    checked = await recordsChecked(records, API);
  });
  afterAll(() => checked[Symbol.asyncDispose]());

  test("finds everything as expected", async () => {
    const report = await checked.report({ write: true });
    expect(report).toMatchObject({ complete: true, incomplete: null, differs: 0 });
    expect(checksWith(report, "observed")).toEqual([]);
    expect(checksWith(report, "not_checked")).toEqual([
      "address-of-the-united-kingdom",
      "token-refresh",
      "address-of-the-application",
      "consents-of-canada-and-saudi-arabia",
      "listed-address",
      "access-denied",
      "secret-of-another-data-center",
    ]);
  });

  test("only reads, also with --write", async () => {
    records.clearRequests();
    await checked.report({ write: true });
    expect(new Set(records.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test.each(RECORDS_DEVIATIONS.map((deviation) => [deviation.behaviour, deviation] as const))(
    "finds that %s",
    async (_behaviour, deviation) => {
      const report = await checked.report({ deviation });
      expect(checksWith(report, "differs")).toContain(deviation.check);
    },
  );

  test.each([
    ["https://api.zoho.eu", "observed"],
    ["https://www.other.example", "differs"],
  ])("a token answer that names %s is %s", async (domain, status) => {
    await using other = await recordsChecked(await startRecordsSandbox(), domain);
    const { checks } = await other.report();
    expect(checks.find(({ check }) => check === "api-domain")).toMatchObject({ status });
  });
});

test.each(RECORDS_SCOPES.filter((scope) => !scope.includes("dashboard")))(
  "a grant without %s makes no check differ",
  async (missing) => {
    const scopes = RECORDS_SCOPES.filter((scope) => scope !== missing);
    await using checked = await recordsChecked(await startRecordsSandbox(), API, scopes);
    const report = await checked.report();
    expect(report).toMatchObject({ complete: true, differs: 0 });
    expect(report.checks.filter(({ reason }) => reason === "no_answer")).toEqual([]);
  },
);
