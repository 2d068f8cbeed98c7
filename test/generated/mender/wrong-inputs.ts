// Wrong inputs: for every tool one for each constraint of its schema, and those that the platforms refuse.
import { isObject } from "../../../src/base";
import type { Platforms } from "../../sandbox/platforms";
import type { Input } from "./mender";

export interface WrongInput {
  readonly title: string;
  readonly tool: string;
  readonly input: Input;
}

/** One for each constraint: unknown and missing parameters, wrong types, values outside of a list or a range. */
export function brokenConstraints(tool: string, schema: unknown, valid: Input): WrongInput[] {
  const { properties, required } = Object(schema);
  const wrong = (title: string, input: Input): WrongInput => ({ title: `${tool}: ${title}`, tool, input });
  const given = Object.keys(valid);
  return [
    wrong("an unknown parameter", { ...valid, verbose_output: true }),
    ...given
      .slice(0, 1)
      .map((name) => wrong(`${name} as ${camelCase(name)}`, renamed(valid, name, camelCase(name)))),
    ...given
      .filter((name) => (Array.isArray(required) && required.includes(name)) || "mode" in valid)
      .map((name) => wrong(`no ${name}`, without(valid, name))),
    ...given.flatMap((name) =>
      brokenValues(properties[name], valid[name]).map(([title, value]) =>
        wrong(`${name}: ${title}`, { ...valid, [name]: value }),
      ),
    ),
  ];
}

function brokenValues(schema: unknown, valid: unknown): [string, unknown][] {
  const { type, enum: values, minimum, maximum, items } = Object(schema);
  const broken: [string, unknown][] = [];
  if (Array.isArray(values)) {
    broken.push(["nearly one of the list", `${String(valid)}s`], ["not one of the list", "xyz"]);
  } else if (type === "string") broken.push(["a list", [valid]], ["empty", ""]);
  else if (type === "integer") broken.push(["words", `${String(valid)} of them`]);
  else if (type === "boolean") broken.push(["a number", 2]);
  if (typeof minimum === "number") broken.push(["too small", minimum - 1]);
  if (typeof maximum === "number") broken.push(["too large", maximum + 1]);
  if (Array.isArray(valid) && isObject(items)) {
    broken.push(["an object", { items: valid }]);
    for (const [title, value] of brokenValues(items, valid[0])) broken.push([`an entry, ${title}`, [value]]);
  }
  return broken;
}

/** Inputs that fit the schemas and are refused later: by a tool, or by the platform. */
export function refusedInputs(valid: Readonly<Record<string, Input>>, { chat }: Platforms): WrongInput[] {
  const of = (tool: string, title: string, change: Input): WrongInput => ({
    title: `${tool}: ${title}`,
    tool,
    input: { ...valid[tool], ...change },
  });
  const body = (value: object): Input => ({ request_body: JSON.stringify(value) });
  const { dave, bob } = chat.people;
  const only = (tool: string, title: string, input: Input): WrongInput => ({
    title: `${tool}: ${title}`,
    tool,
    input,
  });
  const named = (tool: string): WrongInput[] =>
    Object.entries(valid[tool] ?? {}).flatMap(([name, value]) =>
      /owner|link_name|application_identifier|form_identifier|report_|vendor_form/.test(name) &&
      typeof value === "string" &&
      !name.includes("private")
        ? [of(tool, `${name} with a typing mistake`, { [name]: misspelt(value) })]
        : [],
    );
  return [
    ...[
      "GetMessages",
      "GetUsersInConversation",
      "GetConversationMetadata",
      "SendMessage",
      "GetMembersInChannelByName",
      "SendMessageToChannel",
      "GetMessagesInChannelByName",
      "GetChannelMetadataByName",
    ].map((name) => of(`Chat.${name}`, "a misspelt channel", { channel_name: "genral" })),
    ...[
      "GetMessagesInDirectMessageConversationByUsername",
      "GetDirectMessageConversationMetadataByUsername",
    ].map((name) => of(`Chat.${name}`, "a misspelt username", { username: "bobb" })),
    of("Chat.SendDmToUser", "a misspelt username", { user_name: "bobb" }),
    ...[
      "GetMessagesInMultiPersonDmConversationByUsernames",
      "GetMultiPersonDmConversationMetadataByUsernames",
    ].map((name) => of(`Chat.${name}`, "a misspelt username", { usernames: ["bobb", "carol"] })),
    only("Chat.GetUsersInfo", "a misspelt username", { usernames: ["alise"] }),
    only("Chat.GetUsersInfo", "not an address", { emails: ["alice"], usernames: ["bob"] }),
    only("Chat.GetUsersInfo", "nobody", {}),
    only("Chat.GetUsersInfo", "an unknown id", { user_ids: [`${bob.id}9`] }),
    of("Chat.GetUserInfoById", "an unknown id", { user_id: `${bob.id}9` }),
    of("Chat.SendMessage", "two conversations", { conversation_id: chat.channels.random.id }),
    only("Chat.SendMessage", "no conversation", { message: "Hello." }),
    of("Chat.SendMessage", "an empty message", { message: " " }),
    of("Chat.SendMessage", "a message that is too long", { message: "x".repeat(40_001) }),
    of("Chat.SendMessage", "an archived channel", { channel_name: chat.channels.archived.name }),
    only("Chat.SendMessage", "a deactivated person", { message: "Hello.", user_ids: [dave.id] }),
    only("Chat.SendMessage", "too many people", {
      message: "Hello.",
      user_ids: Array.from({ length: 12 }, (_, index) => `U00000${index}`),
    }),
    ...["GetMessages", "GetMessagesInChannelByName"].flatMap((name) => [
      of(`Chat.${name}`, "a time in another form", {
        oldest_relative: undefined,
        oldest_datetime: "yesterday",
      }),
      of(`Chat.${name}`, "a period in another form", {
        oldest_datetime: undefined,
        oldest_relative: "2 days",
      }),
      of(`Chat.${name}`, "two oldest bounds", {
        oldest_datetime: "2026-03-01 00:00:00",
        oldest_relative: "01:00:00",
      }),
      of(`Chat.${name}`, "bounds in the wrong order", {
        oldest_relative: undefined,
        oldest_datetime: "2026-03-02 00:00:00",
        latest_datetime: "2026-03-01 00:00:00",
      }),
    ]),
    ...[
      "GetMessages",
      "ListConversations",
      "ListUsers",
      "GetUsersInConversation",
      "GetMembersInConversationById",
    ].map((name) => of(`Chat.${name}`, "a cursor of something else", { next_cursor: "bm90aGluZw==" })),
    ...["GetMembersInConversationById", "GetMessagesInConversationById", "GetConversationMetadataById"].map(
      (name) => of(`Chat.${name}`, "an unknown id", { conversation_id: "C0000000ZZ" }),
    ),
    ...["WriteToCell", "UpdateCells", "AddNoteToCell", "GetSpreadsheet", "GetSpreadsheetMetadata"].flatMap(
      (name) => [
        of(`Sheets.${name}`, "not an id", { spreadsheet_id: "my budget!" }),
        of(`Sheets.${name}`, "an unknown id", {
          spreadsheet_id: "1AbcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ",
        }),
      ],
    ),
    of("Sheets.WriteToCell", "another case", { sheet_name: "budget" }),
    of("Sheets.WriteToCell", "a misspelt sheet", { sheet_name: "Bugdet" }),
    of("Sheets.WriteToCell", "a column that is a number", { column: "2" }),
    of("Sheets.WriteToCell", "a column outside", { column: "AZ" }),
    of("Sheets.WriteToCell", "a row outside", { row: 2000 }),
    of("Sheets.WriteToCell", "a text that is too long", { value: "x".repeat(50_001) }),
    of("Sheets.AddNoteToCell", "a column outside", { column: "AZ" }),
    of("Sheets.AddNoteToCell", "a misspelt sheet", { sheet_id_or_name: "Bugdet" }),
    of("Sheets.UpdateCells", "a misspelt sheet", { sheet_id_or_name: "Bugdet" }),
    of("Sheets.UpdateCells", "a position outside", { sheet_id_or_name: undefined, sheet_position: 9 }),
    of("Sheets.GetSpreadsheet", "a position outside", { sheet_position: 9 }),
    of("Sheets.GetSpreadsheet", "a misspelt sheet", { sheet_id_or_name: "Bugdet" }),
    of("Sheets.GetSpreadsheet", "a column with a sign", { start_col: "B!" }),
    ...["UpdateCells", "CreateSpreadsheet"].flatMap((name) => [
      of(`Sheets.${name}`, "data that is not JSON", { data: "A1=5" }),
      of(`Sheets.${name}`, "data that is a list", { data: "[[1,2]]" }),
      of(`Sheets.${name}`, "a row that is not a number", { data: '{"first":{"A":1}}' }),
      of(`Sheets.${name}`, "a row 0", { data: '{"0":{"A":1}}' }),
      of(`Sheets.${name}`, "a column that is a number", { data: '{"1":{"1":1}}' }),
      of(`Sheets.${name}`, "a row that is a list", { data: '{"1":["a","b"]}' }),
      of(`Sheets.${name}`, "a cell that is an object", { data: '{"1":{"A":{"value":1}}}' }),
      of(`Sheets.${name}`, "a number with too many digits", { data: '{"1":{"A":12345678901234567890}}' }),
    ]),
    of("Sheets.SearchSpreadsheets", "a token of something else", { pagination_token: "nothing" }),
    of("Sheets.SearchSpreadsheets", "a drive that is not an id", {
      search_only_in_shared_drive_id: "my drive",
    }),
    of("Sheets.SearchSpreadsheets", "an unknown drive", {
      search_only_in_shared_drive_id: "0AbcdefghijkUk9PVA",
    }),
    of("Sheets.SearchSpreadsheets", "a blank word", { spreadsheet_contains: [" "] }),
    ...Object.keys(valid)
      .filter((name) => name.startsWith("VendorCreatorApi."))
      .flatMap(named),
    of("VendorCreatorApi.FetchVendorRecords", "a field that does not exist", {
      filter_criteria: 'Colour == "red"',
    }),
    of("VendorCreatorApi.FetchVendorRecords", "broken criteria", { filter_criteria: "Quantity <" }),
    of("VendorCreatorApi.FetchVendorRecordDetail", "an unknown record", { record_id: "3888833000000999999" }),
    of("VendorCreatorApi.FetchVendorRecordDetail", "not an id", { record_id: "first" }),
    ...["InsertRecordsInVendorForm", "AddRecordsToVendorForm"].flatMap((name) => [
      of(`VendorCreatorApi.${name}`, "an object, not its text", {
        request_body: { data: [{ Name: "Desk" }] },
      }),
      of(`VendorCreatorApi.${name}`, "encoded twice", {
        request_body: JSON.stringify(JSON.stringify({ data: [{ Name: "Desk" }] })),
      }),
      of(`VendorCreatorApi.${name}`, "no data", body({})),
      of(`VendorCreatorApi.${name}`, "data that is an object", body({ data: { Name: "Desk" } })),
      of(`VendorCreatorApi.${name}`, "no record", body({ data: [] })),
      of(
        `VendorCreatorApi.${name}`,
        "too many records",
        body({ data: Array.from({ length: 201 }, () => ({ Name: "Desk" })) }),
      ),
      of(`VendorCreatorApi.${name}`, "an unknown field", body({ data: [{ Name: "Desk", Colour: "red" }] })),
      of(
        `VendorCreatorApi.${name}`,
        "a value that does not fit",
        body({ data: [{ Name: "Desk", Quantity: "many" }] }),
      ),
      of(
        `VendorCreatorApi.${name}`,
        "a choice that does not exist",
        body({ data: [{ Name: "Desk", Tags: ["red"] }] }),
      ),
      of(
        `VendorCreatorApi.${name}`,
        "a value that exists already",
        body({ data: [{ Name: "Desk", SKU: "L-1" }] }),
      ),
    ]),
    of("VendorCreatorApi.UpdateVendorRecord", "data that is a list", body({ data: [{ Note: "x" }] })),
    of("VendorCreatorApi.UpdateVendorRecord", "an unknown field", body({ data: { Notes: "x" } })),
    of("VendorCreatorApi.UpdateVendorRecord", "broken JSON", { request_body: "{data:" }),
    of("VendorCreatorApi.UpdateVendorCreatorReportRecords", "no criteria", body({ data: { Note: "low" } })),
    of(
      "VendorCreatorApi.UpdateVendorCreatorReportRecords",
      "blank criteria",
      body({ criteria: " ", data: { Note: "low" } }),
    ),
    of(
      "VendorCreatorApi.UpdateVendorCreatorReportRecords",
      "broken criteria",
      body({ criteria: "Quantity <", data: { Note: "low" } }),
    ),
    of("VendorCreatorApi.DeleteReportRecords", "no criteria", body({})),
    of("VendorCreatorApi.DeleteVendorRecord", "a result that is a list", body({ result: ["message"] })),
    of("VendorCreatorApi.CreateBulkReadJob", "too few records", body({ query: { max_records: 10 } })),
    of("VendorCreatorApi.CreateBulkReadJob", "not a multiple", body({ query: { max_records: 100_001 } })),
    of(
      "VendorCreatorApi.CreateBulkReadJob",
      "a cursor and a field",
      body({ query: { record_cursor: "x", fields: ["Name"] } }),
    ),
    of("VendorCreatorApi.CreateBulkReadJob", "a report that cannot be exported", {
      report_reference_name: "Stock_Chart",
    }),
    of("VendorCreatorApi.GetBulkReadJobDetails", "an unknown job", { job_id: "3888833000000999999" }),
    of("VendorCreatorApi.FetchVendorReportRecords", "a whole address as private link", {
      vendor_private_link: `https://creatorapp.example/published/${String(valid["VendorCreatorApi.FetchVendorReportRecords"]?.["vendor_private_link"])}`,
    }),
  ];
}

function misspelt(text: string): string {
  return text.length < 4 ? `${text}x` : text.slice(0, 2) + text.slice(3);
}

function camelCase(name: string): string {
  return name.includes("_")
    ? name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    : `${name}s`;
}

function renamed(input: Input, from: string, to: string): Input {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name === from ? to : name, value]));
}

function without(input: Input, name: string): Input {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== name));
}
