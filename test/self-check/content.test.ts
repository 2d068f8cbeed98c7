// A report can be sent to somebody else: it has nothing of the account.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import type { SelfCheckReport } from "../../src/tools";
import { startChatSandbox } from "../sandbox/chat";
import { startRecordsSandbox } from "../sandbox/records";
import { startSheetsSandbox } from "../sandbox/sheets";
import { ALL_SCOPES } from "../catalogs/sheets/run";
import { type Canaries, found } from "../support/canaries";
import { chatChecked } from "./chat-checked";
import { CHAT_SCOPES } from "./chat-scopes";
import type { Checked } from "./deployment";
import { type Deviation, instead } from "./deviating";
import { recordsChecked } from "./records-checked";
import { sheetsChecked } from "./sheets-checked";

/** Answers with content where the platform has codes: it could be that careless. */
const LEAKS: readonly Deviation[] = [
  "canary.person@example.com",
  "U0CANARY01",
  "canary person",
  "xoxp-canary-1",
  "canary-channel",
  "CanaryTitle2026",
  "Canaryname",
].flatMap((content): Deviation[] => [
  leak(200, { ok: false, error: content, needed: content, provided: content }),
  leak(400, { error: { code: 400, message: content, status: content, errors: [{ reason: content }] } }),
  leak(403, { error: content, error_description: content }),
  leak(404, { code: content, message: content, description: content }),
]);

function leak(status: number, body: JsonObject): Deviation {
  return { behaviour: "leaks", check: "", at: /./, answers: instead(status, body) };
}

const CANARIES: Canaries = {
  "e-mail": "canary.person",
  id: "U0CANARY01",
  name: "canary person",
  token: "xoxp-canary",
  channel: "canary-channel",
  title: "CanaryTitle",
  word: "Canaryname",
};

async function reports(checked: Checked): Promise<SelfCheckReport[]> {
  const all = [await checked.report({ write: true })];
  for (const deviation of LEAKS) all.push(await checked.report({ write: true, deviation }));
  return all;
}

describe("a report has no content of", () => {
  test("a workspace", async () => {
    const chat = await startChatSandbox({ extraPeople: ["canary-person"] });
    const issued = chat.issueToken("alice", CHAT_SCOPES);
    await using checked = await chatChecked(chat, issued);
    const channel = await chat.addChannel("canary-channel", { private: true });
    await chat.addMessage(chat.channels.general.id, { text: "canary-message" });
    const canaries = {
      ...CANARIES,
      channelId: channel.id,
      general: chat.channels.general.id,
      alice: chat.people.alice.id,
      bob: chat.people.bob.id,
      team: chat.team.id,
      teamName: chat.team.name,
      access: issued.accessToken,
      person: "canary-person",
      message: "canary-message",
      sent: "You can delete this message",
    };
    const text = JSON.stringify(await reports(checked));
    expect(text).toContain("own-identity");
    expect(found(canaries, text)).toEqual([]);
  }, 30_000);

  test("a user's files", async () => {
    const sheets = await startSheetsSandbox();
    const issued = sheets.issueToken("alice", ALL_SCOPES);
    await using checked = await sheetsChecked(sheets, issued);
    const file = sheets.addFile({
      title: "CanaryTitle",
      sheets: [{ title: "canary-sheet" }, { title: "canary-query", dataSource: true }],
    });
    const all = await reports(checked);
    const canaries = {
      ...CANARIES,
      file,
      sheet: "canary-sheet",
      query: "canary-query",
      mail: "@example",
      access: issued.accessToken,
      ...Object.fromEntries(sheets.fileIds().map((id, index) => [`file ${index}`, id])),
    };
    expect(found(canaries, JSON.stringify(all))).toEqual([]);
  }, 30_000);

  test("a user's records", async () => {
    const records = await startRecordsSandbox();
    await using checked = await recordsChecked(records, "https://www.zohoapis.com");
    const ids = records.records("us", "Products").map(({ id }, index) => [`record ${index}`, id]);
    const canaries = {
      ...CANARIES,
      ...Object.fromEntries(ids),
      application: "inventory",
      report: "All_Products",
      form: "Products",
      field: "Quantity",
    };
    expect(found(canaries, JSON.stringify(await reports(checked)))).toEqual([]);
  }, 30_000);
});
