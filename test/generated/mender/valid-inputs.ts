// For every tool an input that works, on what the stand-ins contain.
import { ALL, KEY } from "../../catalogs/records/rows";
import type { Platforms } from "../../sandbox/platforms";
import type { Input } from "./mender";

/** A record id in the rows, which stands for one that exists. */
const ROW_ID = "3888833000000114027";

/** The inputs by qualified name. Each call makes a new spreadsheet and new records. `job`: an export that was begun. */
export function validInputs({ chat, records, sheets }: Platforms, job: string): Record<string, Input> {
  records.reset();
  records.clearFaults();
  records.move(61_000);
  const cells = { A1: "Name", B1: 5, C23: "Total" };
  const spreadsheet_id = sheets.addFile({ sheets: [{ title: "Budget", cells }, { title: "Notes" }] });
  return {
    ...ofChat(chat),
    ...ofSheets(spreadsheet_id),
    ...ofRecords(records, job),
    ...under("Peer", OF_WORKERS),
    ...under("Web", OF_WORKERS),
  };
}

const OF_WORKERS = { Send: { message: "Hello.", channel: "general" }, WhoAmI: {} };

function ofChat({ people: { alice, bob }, channels }: Platforms["chat"]): Record<string, Input> {
  const byId = { conversation_id: channels.general.id };
  const byName = { channel_name: "general" };
  const since = { oldest_relative: "01:00:00", limit: 5 };
  const inputs: Record<string, Input> = {
    WhoAmI: {},
    GetUsersInfo: { user_ids: [bob.id], usernames: ["alice"] },
    ListUsers: { exclude_bots: true, limit: 50 },
    SendMessage: { message: "Hello.", ...byName },
    GetUsersInConversation: { ...byName, limit: 50 },
    GetMessages: { ...byName, oldest_datetime: "2026-03-01 00:00:00", limit: 5 },
    GetConversationMetadata: byName,
    ListConversations: { conversation_types: ["public_channel"], limit: 50 },
    GetUserInfoById: { user_id: alice.id },
    GetMembersInConversationById: { ...byId, limit: 50 },
    GetMembersInChannelByName: { ...byName, limit: 50 },
    SendDmToUser: { user_name: "bob", message: "Hello." },
    SendMessageToChannel: { ...byName, message: "Hello." },
    GetMessagesInChannelByName: { ...byName, ...since },
    GetMessagesInConversationById: { ...byId, ...since },
    GetMessagesInDirectMessageConversationByUsername: { username: "bob", ...since },
    GetMessagesInMultiPersonDmConversationByUsernames: { usernames: ["bob", "carol"], ...since },
    ListConversationsMetadata: { conversation_types: ["private_channel"], limit: 50 },
    ListPublicChannelsMetadata: { limit: 50 },
    ListPrivateChannelsMetadata: { limit: 50 },
    ListGroupDirectMessageConversationsMetadata: { limit: 50 },
    ListDirectMessageConversationsMetadata: { limit: 50 },
    GetConversationMetadataById: byId,
    GetChannelMetadataByName: byName,
    GetDirectMessageConversationMetadataByUsername: { username: "bob" },
    GetMultiPersonDmConversationMetadataByUsernames: { usernames: ["bob", "carol"] },
  };
  return under("Chat", inputs);
}

function ofSheets(spreadsheet_id: string): Record<string, Input> {
  const cell = { spreadsheet_id, column: "B", row: 2 };
  const inputs: Record<string, Input> = {
    CreateSpreadsheet: { title: "Plan", data: '{"1":{"A":"Name","B":5}}' },
    WriteToCell: { ...cell, value: "7", sheet_name: "Budget" },
    UpdateCells: { spreadsheet_id, data: '{"23":{"C":5}}', sheet_id_or_name: "Budget" },
    AddNoteToCell: { ...cell, note_text: "Checked.", sheet_id_or_name: "Budget" },
    SearchSpreadsheets: { spreadsheet_contains: ["Unt"], order_by: ["name"], limit: 5 },
    WhoAmI: {},
    GenerateGoogleFilePickerUrl: {},
    GetSpreadsheet: {
      spreadsheet_id,
      sheet_position: 1,
      start_row: 1,
      start_col: "A",
      max_rows: 50,
      max_cols: 10,
    },
    GetSpreadsheetMetadata: { spreadsheet_id },
  };
  return under("Sheets", inputs);
}

function ofRecords(records: Platforms["records"], job: string): Record<string, Input> {
  const id = records.records("us", "Products")[0]?.id ?? "";
  const { products, productForm } = records.privateLinks("us");
  const inputs = ALL.map(({ tool, route, input }): [string, Input] => {
    const key = route === "publish.add" ? productForm : products;
    const text = JSON.stringify(input)
      .replaceAll(ROW_ID, route === "bulk.get" ? job : id)
      .replaceAll(KEY, key);
    return [tool, JSON.parse(text)];
  });
  return under("VendorCreatorApi", Object.fromEntries(inputs));
}

function under(toolkit: string, inputs: Record<string, Input>): Record<string, Input> {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [`${toolkit}.${name}`, input]));
}
