// The platform's own clients with the stand-in.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { drive } from "@googleapis/drive";
import { auth, sheets } from "@googleapis/sheets";
import { startSheetsSandbox, type SheetsSandbox } from ".";
import { DRIVE_FILE } from "./test-client";

let sandbox: SheetsSandbox;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
afterAll(() => sandbox.stop());

function clients(personName = "alice") {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: sandbox.issueToken(personName, [DRIVE_FILE]).accessToken });
  const options = { rootUrl: `${sandbox.url}/`, auth: client, retry: false } as const;
  return { sheets: sheets({ version: "v4", ...options }), drive: drive({ version: "v3", ...options }) };
}

test("a spreadsheet is created, filled, enlarged, annotated and read", async () => {
  const { spreadsheets } = clients().sheets;
  const made = await spreadsheets.create({
    fields: "spreadsheetId,spreadsheetUrl,properties(title),sheets(properties(sheetId,title))",
    requestBody: {
      properties: { title: "Official" },
      sheets: [
        {
          properties: { title: "Jon's Data", gridProperties: { rowCount: 5, columnCount: 3 } },
          data: [
            {
              startRow: 0,
              startColumn: 0,
              rowData: [{ values: [{ userEnteredValue: { numberValue: 2 } }] }],
            },
          ],
        },
      ],
    },
  });
  const spreadsheetId = made.data.spreadsheetId ?? "";
  const sheetId = made.data.sheets?.[0]?.properties?.sheetId ?? -1;
  expect(made.data.properties?.title).toBe("Official");

  const written = await spreadsheets.values.update({
    spreadsheetId,
    range: "'Jon''s Data'!B1",
    valueInputOption: "USER_ENTERED",
    includeValuesInResponse: true,
    requestBody: { range: "'Jon''s Data'!B1", majorDimension: "ROWS", values: [["=A1*21"]] },
  });
  expect(written.data).toMatchObject({ updatedCells: 1, updatedData: { values: [["42"]] } });

  await spreadsheets.batchUpdate({
    spreadsheetId,
    requestBody: {
      requests: [
        { appendDimension: { sheetId, dimension: "ROWS", length: 5 } },
        {
          updateCells: {
            start: { sheetId, rowIndex: 9, columnIndex: 2 },
            rows: [{ values: [{ note: "last" }] }],
            fields: "note",
          },
        },
      ],
    },
  });

  const batch = await spreadsheets.values.batchUpdate({
    spreadsheetId,
    requestBody: {
      valueInputOption: "USER_ENTERED",
      data: [{ range: "'Jon''s Data'!C10", values: [["10%"]] }],
    },
  });
  expect(batch.data).toMatchObject({
    totalUpdatedCells: 1,
    responses: [{ updatedRange: "'Jon''s Data'!C10" }],
  });

  const read = await spreadsheets.get({
    spreadsheetId,
    ranges: ["'Jon''s Data'!A1:C10"],
    includeGridData: true,
  });
  const [sheet] = read.data.sheets ?? [];
  expect(sheet?.properties?.gridProperties).toMatchObject({ rowCount: 10, columnCount: 3 });
  expect(sheet?.data?.[0]?.rowData?.[0]?.values?.[1]).toMatchObject({
    userEnteredValue: { formulaValue: "=A1*21" },
    effectiveValue: { numberValue: 42 },
    formattedValue: "42",
  });
  expect(sheet?.data?.[0]?.rowData?.[9]?.values?.[2]).toMatchObject({
    userEnteredValue: { numberValue: 0.1 },
    userEnteredFormat: { numberFormat: { type: "PERCENT" } },
    formattedValue: "10%",
    note: "last",
  });

  const values = await spreadsheets.values.get({ spreadsheetId, range: "'Jon''s Data'!A1:C10" });
  expect(values.data.values?.[0]).toEqual(["2", "42"]);
});

test("files are listed and the storage is returned", async () => {
  const own = clients("bob").drive;
  sandbox.addFile({ title: "Budget plan", owner: "bob" });
  sandbox.addFile({ title: "Other", owner: "bob" });
  const found = await own.files.list({
    q: "name contains 'budget' and trashed = false",
    orderBy: "modifiedTime desc",
    pageSize: 10,
    fields: "nextPageToken,files(id,name,owners(emailAddress),createdTime)",
  });
  expect(found.data.files).toMatchObject([
    { name: "Budget plan", owners: [{ emailAddress: "bob@corp.example" }] },
  ]);
  const { data } = await own.about.get({ fields: "user,storageQuota" });
  expect(data).toMatchObject({
    user: { me: true, displayName: "Bob Dupont" },
    storageQuota: { usage: "2048" },
  });
});

test("refusals arrive as the clients' own errors", async () => {
  const { spreadsheets } = clients().sheets;
  const missing = await spreadsheets.get({ spreadsheetId: "nope" }).catch((error: unknown) => error);
  expect(missing).toMatchObject({ status: 404, message: "Requested entity was not found." });
  const bad = await clients()
    .drive.about.get({})
    .catch((error: unknown) => error);
  expect(bad).toMatchObject({
    status: 400,
    message: expect.stringContaining("'fields' parameter is required"),
  });
});
