// What the schema of a tool cannot say about its input is also told before a consent, in a dry run, and when a run is
// scheduled: one row for each rule of each built-in tool.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ALL, MODES } from "../catalogs/records/rows";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";

type Input = { [name: string]: unknown };

let site: Site;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  agent = api(site.url, await site.key("run"));
});
afterAll(() => site[Symbol.asyncDispose]());

const SPREADSHEET = "1AbCdEfGhIjKlMnOpQrStUvWxYz";
const cell = { spreadsheet_id: SPREADSHEET, column: "B", row: 2 };
const selectorRules = (more: Input = {}): [Input, string][] => [
  [more, "None was given."],
  [{ ...more, channel_name: "general", conversation_id: "C0123456789" }, "2 were given"],
  [{ ...more, emails: ["nowhere"] }, "emails.0 must have the form"],
  [{ ...more, channel_name: "#" }, "`channel_name` is empty."],
  [
    { ...more, user_ids: Array.from({ length: 20 }, (_, index) => `U${100000000 + index}`) },
    "at most 8 other",
  ],
];
const times: [Input, string][] = [
  [{ oldest_relative: "yesterday" }, "`oldest_relative` must have the form"],
  [{ latest_datetime: "2026-02-30 00:00:00" }, "`latest_datetime` must have the form"],
  [{ oldest_relative: "01:00:00", oldest_datetime: "2026-03-01 00:00:00" }, "not both"],
  [{ oldest_relative: "01:00:00", latest_relative: "02:00:00" }, "must not be later than"],
];
const within = (place: Input): [Input, string][] =>
  times.map(([input, message]) => [{ ...place, ...input }, message]);

const CHAT: Record<string, [Input, string][]> = {
  SendMessage: [
    ...selectorRules({ message: "Hello." }),
    [{ message: " ", channel_name: "general" }, "`message` is empty."],
    [{ message: "x".repeat(40_001), channel_name: "general" }, "at most 40000 characters"],
  ],
  GetMessages: [...selectorRules(), ...within({ channel_name: "general" })],
  GetConversationMetadata: selectorRules(),
  GetUsersInConversation: [
    [{}, "None was given."],
    [{ conversation_id: "U0123456789" }, "is the id of a person"],
  ],
  GetUsersInfo: [
    [{}, "Give at least one of `user_ids`, `usernames` and `emails`."],
    [{ emails: ["nowhere"] }, "emails.0 must have the form"],
  ],
  SendDmToUser: [
    [{ user_name: " ", message: "Hello." }, "`user_name` is empty."],
    [{ user_name: "bob", message: "" }, "`message` is empty."],
  ],
  SendMessageToChannel: [[{ channel_name: " ", message: "Hello." }, "`channel_name` is empty."]],
  GetMessagesInChannelByName: [
    [{ channel_name: " " }, "`channel_name` is empty."],
    ...within({ channel_name: "general" }),
  ],
  GetMessagesInConversationById: [[{ conversation_id: "" }, "`conversation_id` is empty."]],
  GetMessagesInDirectMessageConversationByUsername: [[{ username: "" }, "`username` is empty."]],
  GetMessagesInMultiPersonDmConversationByUsernames: [[{ usernames: [""] }, "`usernames` is empty."]],
  GetConversationMetadataById: [[{ conversation_id: "" }, "`conversation_id` is empty."]],
  GetChannelMetadataByName: [[{ channel_name: "#" }, "`channel_name` is empty."]],
  GetDirectMessageConversationMetadataByUsername: [[{ username: "" }, "`username` is empty."]],
  GetMultiPersonDmConversationMetadataByUsernames: [[{ usernames: [""] }, "`usernames` is empty."]],
  GetUserInfoById: [[{ user_id: "" }, "`user_id` is empty."]],
  GetMembersInConversationById: [[{ conversation_id: "" }, "`conversation_id` is empty."]],
  GetMembersInChannelByName: [[{ channel_name: "" }, "`channel_name` is empty."]],
};

const SHEETS: Record<string, [Input, string][]> = {
  CreateSpreadsheet: [[{ data: "[1]" }, "data must be a JSON object"]],
  UpdateCells: [
    [{ spreadsheet_id: "a b", data: '{"1":{"A":1}}' }, "`spreadsheet_id` must be"],
    [{ spreadsheet_id: SPREADSHEET, data: "{}" }, "it contains no cell"],
    [{ spreadsheet_id: SPREADSHEET, data: '{"0":{"A":1}}' }, "must be a number from 1"],
  ],
  WriteToCell: [
    [{ ...cell, spreadsheet_id: "a b", value: "7" }, "`spreadsheet_id` must be"],
    [{ ...cell, column: "2", value: "7" }, "`column` must be the letters"],
    [{ ...cell, value: "x".repeat(50_001) }, "`value` must have at most 50000 characters"],
  ],
  AddNoteToCell: [[{ ...cell, column: "?", note_text: "x" }, "`column` must be the letters"]],
  GetSpreadsheet: [
    [{ spreadsheet_id: "a b" }, "`spreadsheet_id` must be"],
    [{ spreadsheet_id: SPREADSHEET, start_col: "?" }, "`start_col` must be the letters"],
  ],
  GetSpreadsheetMetadata: [[{ spreadsheet_id: "a b" }, "`spreadsheet_id` must be"]],
  SearchSpreadsheets: [
    [{ spreadsheet_contains: [" "] }, "must not have blank words"],
    [{ search_only_in_shared_drive_id: "a b" }, "must be an id"],
  ],
};

/** Each tool with a text in its address gets a blank one; those with a body also a wrong one. */
const RECORDS: Record<string, [Input, string][]> = Object.fromEntries(
  ALL.flatMap(({ tool, input }) => {
    const place = Object.keys(input).find((name) => name.endsWith("_name"));
    if (place === undefined) return [];
    const rows: [Input, string][] = [[{ ...input, [place]: " " }, `\`${place}\` is empty`]];
    if (MODES.some((row) => row.tool === tool))
      rows.push([{ ...input, mode: "execute", request_body: "{" }, "`request_body` must be valid JSON"]);
    return [[tool, rows]];
  }),
);

const RULES = Object.entries({ Chat: CHAT, Sheets: SHEETS, VendorCreatorApi: RECORDS }).flatMap(
  ([toolkit, tools]) =>
    Object.entries(tools).flatMap(([name, rows]) =>
      rows.map(([input, message]) => [`${toolkit}.${name}`, message, input] as const),
    ),
);

/** Without an auth provider and a consent; nothing is sent. */
describe.each(RULES)("%s: %s", (tool_name, message, input) => {
  test.each([
    ["a run", {}],
    ["a dry run", { dry_run: true }],
    ["a scheduled run", { run_at: "2030-01-31T09:30:00Z" }],
  ])("%s says so", async (_what, more) => {
    const { status, body } = await agent.post("/v1/tools/execute", {
      tool_name,
      user_id: "bob",
      input,
      ...more,
    });

    expect([status, at(body, "success"), at(body, "status")]).toEqual([200, false, "failed"]);
    expect(at(body, "output.error.message")).toContain(message);
  });
});

/** Their rules refuse nothing that the schema accepts, except half of a character. */
const NOTHING_TO_REFUSE = [
  "Chat.ListConversationsMetadata",
  "Chat.ListDirectMessageConversationsMetadata",
  "Chat.ListGroupDirectMessageConversationsMetadata",
  "Chat.ListPrivateChannelsMetadata",
  "Chat.ListPublicChannelsMetadata",
  "VendorCreatorApi.GetApplicationMetaInfo",
];

test("every tool with rules of its own has a row", async () => {
  const { versions } = await site.runtime.tools.registryOf("default");
  const withRules = versions.filter(({ definition }) => definition.judge !== undefined);
  const tested = [...new Set(RULES.map(([tool]) => tool)), ...NOTHING_TO_REFUSE];

  expect(withRules.map(({ qualifiedName }) => qualifiedName)).toEqual(tested.toSorted());
});

test("a valid input still leads to what is missing", async () => {
  const input = { channel_name: "general", message: "Hello." };
  const { status, body } = await agent.post("/v1/tools/execute", {
    tool_name: "Chat.SendMessage",
    user_id: "bob",
    input,
  });

  expect([status, at(body, "name")]).toEqual([400, "tool_requirements_not_met"]);
});
