// What models send in place of the type that a parameter has, and null in place of nothing: through the real
// tools to the platforms, which see only what was meant.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { type FieldStage, startFieldStage } from "./stage";

let stage: FieldStage;
beforeAll(async () => {
  stage = await startFieldStage();
  for (const tool of [
    "Chat.ListUsers",
    "VendorCreatorApi.FetchVendorRecords",
    "VendorCreatorApi.UpdateVendorRecord",
    "Sheets.UpdateCells",
  ])
    await stage.consent(tool);
});
afterAll(() => stage[Symbol.asyncDispose]());

async function value(tool: string, input: object): Promise<unknown> {
  const { body } = await stage.execute(tool, input);
  expect([at(body, "output.error"), at(body, "success")]).toEqual([undefined, true]);
  return at(body, "output.value");
}

/** The message: by the schema, or, where the tool says itself how to mend it, by the tool. */
async function refused(
  tool: string,
  input: object,
  kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" | "TOOL_RUNTIME_RETRY" = "TOOL_RUNTIME_BAD_INPUT_VALUE",
): Promise<string> {
  const { status, body } = await stage.execute(tool, input);
  expect([status, at(body, "output.error.kind"), at(body, "output.error.status_code")]).toEqual([
    200,
    kind,
    400,
  ]);
  return String(at(body, "output.error.message"));
}

function names(listed: unknown): string[] {
  const users = at(listed, "users");
  return Array.isArray(users) ? users.map((user) => String(at(user, "username") ?? at(user, "name"))) : [];
}

describe("Chat.ListUsers", () => {
  test.each([
    [{ exclude_bots: "false", limit: "50" }, true],
    [{ exclude_bots: false, limit: 50 }, true],
    [{ exclude_bots: "true", limit: "50" }, false],
    [{ exclude_bots: null, limit: null }, false],
    [{}, false],
  ])("with %j lists bots: %p [fault: values-as-text]", async (input, bots) => {
    stage.platforms.chat.clearRequests();
    const listed = await value("Chat.ListUsers", input);
    expect(names(listed).length).toBeGreaterThan(1);
    expect(JSON.stringify(listed).includes(stage.platforms.chat.people.robot.id)).toBe(bots);
  });

  test.each([
    ["exclude_bots", { exclude_bots: "no" }],
    ["exclude_bots", { exclude_bots: "False" }],
    ["exclude_bots", { exclude_bots: 0 }],
    ["exclude_bots", { exclude_bots: "" }],
    ["limit", { limit: "fifty" }],
    ["limit", { limit: "50.5" }],
    ["limit", { limit: 50.5 }],
    ["limit", { limit: "0x10" }],
    ["limit", { limit: true }],
    ["limit", { limit: [50] }],
    ["limit", { limit: "" }],
  ])("refuses an invalid value by the name %s: %j [fault: values-as-text]", async (field, input) => {
    stage.platforms.chat.clearRequests();
    expect(await refused("Chat.ListUsers", input)).toContain(field);
    expect(stage.platforms.chat.requests).toEqual([]);
  });
});

describe("Chat.GetUsersInfo", () => {
  const email = () => stage.platforms.chat.people.alice.email;
  test.each<[string, (email: string) => unknown]>([
    ["a list", (one) => [one]],
    ["a list as text [fault: values-as-text]", (one) => JSON.stringify([one])],
    ["a list as text with spaces around it", (one) => ` [ "${one}" ] `],
  ])("takes %s", async (_what, emails) => {
    const found = await value("Chat.GetUsersInfo", { emails: emails(email()) });
    expect(JSON.stringify(found)).toContain(stage.platforms.chat.people.alice.id);
  });

  test.each<[string, unknown]>([
    ["half a list", '["a@example.com"'],
    ["a list of numbers", [5]],
    ["an object", { 0: "a@example.com" }],
  ])("refuses %s by the name of the field", async (_what, emails) => {
    expect(await refused("Chat.GetUsersInfo", { emails })).toContain("emails");
  });
});

describe("VendorCreatorApi.UpdateVendorRecord", () => {
  const place = { vendor_account_owner_name: "acme", application_link_name: "inventory" };
  const fields = (request_body: unknown) => {
    const record_id = stage.platforms.records.records("us", "Products")[0]?.id ?? "";
    return { mode: "execute", ...place, report_link_name: "All_Products", record_id, request_body };
  };
  const note = () => JSON.stringify(stage.platforms.records.records("us", "Products")[0]);

  test("accepts its body as JSON text, and sends it unchanged", async () => {
    await value("VendorCreatorApi.UpdateVendorRecord", fields('{"data":{"Note":"as text"}}'));
    expect(note()).toContain("as text");
  });

  test("keeps a text in it that looks like something else a text [fault: values-as-text]", async () => {
    for (const text of ["false", "50", "[1]", "null", "1234567890123456789"]) {
      await value("VendorCreatorApi.UpdateVendorRecord", fields(JSON.stringify({ data: { Note: text } })));
      expect(note()).toContain(JSON.stringify(text));
    }
  });

  test.each<[string, unknown]>([
    ["an object", { data: { Note: "as object" } }],
    ["stringified twice", JSON.stringify(JSON.stringify({ data: { Note: "twice" } }))],
    ["a list", '[{"data":{"Note":"list"}}]'],
    ["no JSON", "{data:{Note:1}}"],
    ["a number", 5],
  ])(
    "refuses %s by the name of the field, and sends nothing [fault: values-as-text]",
    async (_what, body) => {
      const before = note();
      stage.platforms.records.clearRequests();
      const message = await refused(
        "VendorCreatorApi.UpdateVendorRecord",
        fields(body),
        "TOOL_RUNTIME_RETRY",
      );
      expect(message).toContain("request_body");
      expect(stage.platforms.records.requests).toEqual([]);
      expect(note()).toBe(before);
    },
  );
});

describe("Sheets.UpdateCells", () => {
  test("uses the default for null in an optional parameter [fault: strict-mode]", async () => {
    const made = await value("Sheets.CreateSpreadsheet", { title: "T", data: '{"1":{"A":1}}' });
    const spreadsheet_id = String(at(made, "spreadsheetId"));
    const nothing = { sheet_position: null, sheet_id_or_name: null };
    await value("Sheets.UpdateCells", { spreadsheet_id, data: '{"2":{"B":false}}', ...nothing });
    const read = await value("Sheets.GetSpreadsheet", {
      spreadsheet_id,
      ...nothing,
      start_row: "1",
      max_rows: "10",
    });
    expect(at(read, "sheets.0.data.2.B")).toEqual({
      formattedValue: "FALSE",
      userEnteredValue: false,
    });
  });

  test("accepts a number as text, and refuses other texts", async () => {
    const made = await value("Sheets.CreateSpreadsheet", { title: "T" });
    const spreadsheet_id = String(at(made, "spreadsheetId"));
    await value("Sheets.UpdateCells", { spreadsheet_id, data: '{"1":{"A":1}}', sheet_position: "1" });
    const wrong = { spreadsheet_id, data: '{"1":{"A":1}}', sheet_position: "first" };
    expect(await refused("Sheets.UpdateCells", wrong)).toContain("sheet_position");
  });
});
