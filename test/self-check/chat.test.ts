// The self-check of the chat platform, against the stand-in and against a stand-in that deviates.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { chatChecked } from "./chat-checked";
import { CHAT_SCOPES } from "./chat-scopes";
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
    await chat.addMessage(chat.channels.general.id, { text: "three" });
  });
  afterAll(() => checked[Symbol.asyncDispose]());

  test("finds everything as expected", async () => {
    const report = await checked.report({ write: true });
    expect(report).toMatchObject({ complete: true, incomplete: null, differs: 0 });
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

test.each([true, "restricted"] as const)(
  "the self-check of a grant for an organization (%s) finds everything as expected",
  async (orgInstall) => {
    await using checked = await chatChecked(await startChatSandbox({ orgInstall, rates: true }));
    const report = await checked.report();
    expect(report).toMatchObject({ complete: true, differs: 0 });
    expect(checksWith(report, "as_expected")).toEqual(
      expect.arrayContaining(["people-pages", "private-channels-only", "memberships", "member-ids"]),
    );
  },
);

describe("the check of refreshes", () => {
  async function rotating() {
    const chat = await startChatSandbox({ rotation: true });
    const { accessToken, refreshToken = null } = chat.issueToken("alice", CHAT_SCOPES, { refresh: true });
    const checked = await chatChecked(chat, { accessToken }, { refresh: refreshToken });
    return { chat, checked };
  }

  test("renews the token, and the new one works", async () => {
    const { chat, checked } = await rotating();
    await using _ = checked;
    const report = await checked.report();
    expect(checksWith(report, "as_expected")).toContain("token-refresh");
    expect(chat.calls("refresh")).toBe(1);
  });

  test("leaves open what a failing token endpoint cannot show", async () => {
    const { chat, checked } = await rotating();
    await using _ = checked;
    chat.fail("refresh", { kind: "server_error" }, 10);
    const { checks } = await checked.report();
    expect(checks.find(({ check }) => check === "token-refresh")).toMatchObject({ reason: "no_answer" });
  });
});

test.each(CHAT_SCOPES.filter((scope) => !scope.startsWith("users:")))(
  "a grant without %s makes no check differ",
  async (missing) => {
    const chat = await startChatSandbox();
    const scopes = CHAT_SCOPES.filter((scope) => scope !== missing);
    await using checked = await chatChecked(chat, chat.issueToken("alice", scopes), { scopes });
    const report = await checked.report();
    expect(report).toMatchObject({ complete: true, differs: 0 });
    expect(report.checks.filter(({ reason }) => reason === "no_answer")).toEqual([]);
  },
);
