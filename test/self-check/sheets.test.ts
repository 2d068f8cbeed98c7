// The self-check of the spreadsheet platform, against the stand-in and against a stand-in that deviates.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type SheetsSandbox, startSheetsSandbox } from "../sandbox/sheets";
import { type Checked, checksWith } from "./deployment";
import { sheetsChecked } from "./sheets-checked";
import { SHEETS_DEVIATIONS } from "./sheets-deviations";

const EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

describe("the self-check of the spreadsheet platform", () => {
  let sheets: SheetsSandbox;
  let checked: Checked;
  beforeAll(async () => {
    sheets = await startSheetsSandbox();
    checked = await sheetsChecked(sheets);
    sheets.addFile({ title: "one", createdAt: 1, modifiedAt: 1 });
    sheets.addFile({ title: "report", mimeType: EXCEL });
  });
  // Every run adds a file, and only the newest ones are looked at.
  beforeEach(
    () => void sheets.addFile({ title: "connected", sheets: [{ title: "Query", dataSource: true }] }),
  );
  afterAll(() => checked[Symbol.asyncDispose]());

  test("finds everything as expected", async () => {
    const report = await checked.report({ write: true });
    expect(report).toMatchObject({ complete: true, incomplete: null, differs: 0 });
    expect(checksWith(report, "observed")).toEqual(["data-source-ranges"]);
    expect(checksWith(report, "not_checked")).toEqual([
      "token-refresh",
      "picked-without-code",
      "picked-page-again",
      "picker-actions",
      "smart-chips",
      "unopened-file-writes",
    ]);
  });

  test("creates nothing without --write", async () => {
    const before = sheets.fileIds().length;
    sheets.clearRequests();
    const report = await checked.report();
    expect(report.checks.find(({ check }) => check === "own-file")).toMatchObject({ reason: "needs_write" });
    expect(sheets.fileIds()).toHaveLength(before);
    expect(new Set(sheets.requests.map(({ verb }) => verb))).toEqual(new Set(["GET"]));
  });

  test("with --write changes only a file of its own", async () => {
    const before = sheets.fileIds();
    sheets.clearRequests();
    await checked.report({ write: true });
    const created = sheets.fileIds().filter((id) => !before.includes(id));
    expect(created).toHaveLength(1);
    const changed = sheets.requests.filter(({ verb, path }) => verb !== "GET" && path !== "/v4/spreadsheets");
    expect(changed.every(({ path }) => path.includes(created[0] ?? "none"))).toBe(true);
  });

  test.each(SHEETS_DEVIATIONS.map((deviation) => [deviation.behaviour, deviation] as const))(
    "finds that %s",
    async (_behaviour, deviation) => {
      const report = await checked.report({ write: true, deviation });
      expect(checksWith(report, "differs")).toContain(deviation.check);
    },
  );
});
