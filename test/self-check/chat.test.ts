// The self-check of the chat platform, against the stand-in and against a stand-in that deviates.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { chatChecked } from "./chat-checked";
import { CHAT_DEVIATIONS } from "./chat-deviations";
import { type Checked, checksWith } from "./deployment";

describe("the self-check of the chat platform", () => {
  let chat: ChatSandbox;
  let checked: Checked;
  beforeAll(async () => {
    chat = await startChatSandbox();
    checked = await chatChecked(chat);
    await chat.addMessage(chat.channels.general.id, { text: "one" });
    await chat.addMessage(chat.channels.general.id, { text: "two" });
  });
  afterAll(() => checked[Symbol.asyncDispose]());

  test("finds everything as expected", async () => {
    const report = await checked.report({ write: true });
    expect(report).toMatchObject({ complete: true, ended: null, differs: 0 });
    expect(checksWith(report, "not_checked")).toEqual(["token-refresh", "limits-of-other-users"]);
    expect(checksWith(report, "observed")).toEqual([
      "organization-workspaces",
      "deactivated-people",
      "deactivated-members",
      "hidden-by-plan",
      "split-messages",
    ]);
  });

  test.each(CHAT_DEVIATIONS.map((deviation) => [deviation.behaviour, deviation] as const))(
    "finds that %s",
    async (_behaviour, deviation) => {
      const report = await checked.report({ write: true, deviation });
      expect(checksWith(report, "differs")).toContain(deviation.check);
    },
  );
});
