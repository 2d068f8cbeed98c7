// Sheets.GetSpreadsheetMetadata against the stand-in of the platform, which leaves out what is zero or false, or sends it.
import { expect, test } from "bun:test";
import { startSheetsSandbox } from "../../../sandbox/sheets";
import { Connection } from "../run";

test.each([false, true])(
  "one call returns the sheets in tab order (empty fields sent: %p)",
  async (sendEmpty) => {
    await using sandbox = await startSheetsSandbox({ sendEmpty });
    const id = sandbox.addFile({
      title: "Book",
      sheets: [
        { title: "Hidden", sheetId: 5, hidden: true, rows: 7, columns: 3 },
        { title: "Zero", sheetId: 0 },
        { title: "Chart", sheetId: 9, chart: true },
      ],
    });
    const url = `https://docs.google.com/spreadsheets/d/${id}/edit`;
    const output = await Connection.to(sandbox).run("GetSpreadsheetMetadata", { spreadsheet_id: url });
    const sheet = (sheetId: number, title: string, position: number, more: object) => ({
      sheetId,
      title,
      position,
      sheetType: "GRID",
      hidden: false,
      sheetUrl: `${url}#gid=${sheetId}`,
      ...more,
    });
    expect(output).toEqual({
      title: "Book",
      spreadsheetId: id,
      spreadsheetUrl: url,
      sheets: [
        sheet(5, "Hidden", 1, { hidden: true, rowCount: 7, columnCount: 3 }),
        sheet(0, "Zero", 2, { rowCount: 1000, columnCount: 26 }),
        sheet(9, "Chart", 3, { sheetType: "OBJECT", rowCount: 0, columnCount: 0 }),
      ],
    });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["spreadsheets.get"]);
    expect(sandbox.requests[0]?.query).not.toHaveProperty("includeGridData");
    expect(sandbox.requests[0]?.query["fields"]).not.toContain("data");
  },
);
