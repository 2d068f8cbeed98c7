// A self-check takes the path of a tool: hooks, requirements and the execution log hold, and it is not a tool of others.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type WebhookPeer, webhookPeer } from "../hooks/webhook-peer";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { agent, operator } from "../tools/deployment";
import { chatChecked } from "./chat-checked";
import { type Checked, checksWith } from "./deployment";

describe("a self-check", () => {
  let chat: ChatSandbox;
  let checked: Checked;
  let peer: WebhookPeer;
  beforeAll(async () => {
    chat = await startChatSandbox();
    checked = await chatChecked(chat);
    peer = await webhookPeer();
    const endpoint = (point: string) => ({
      url: `${peer.url}/${point}`,
      phase: "before" as const,
      failure_mode: "fail_closed" as const,
    });
    await checked.deployment.runtime.plugins.create(operator(), {
      name: "guard",
      plugin_type: "webhook",
      status: "active",
      webhook_config: {
        endpoints: { access: endpoint("access"), pre: endpoint("pre"), post: endpoint("post") },
      },
    });
  });
  afterAll(async () => {
    await checked[Symbol.asyncDispose]();
    peer[Symbol.dispose]();
  });
  beforeEach(() => {
    chat.clearRequests();
    peer.asked.length = 0;
    peer.respond = () => ({ code: "OK" });
  });

  test("leaves out the checks of tools that a hook hides", async () => {
    peer.respond = ({ path }) =>
      path === "access" ? { code: "OK", deny: { Chat: { tools: { SendMessage: [] } } } } : { code: "OK" };
    const report = await checked.report({ write: true });
    expect(
      report.checks.filter(({ reason }) => reason === "hidden_by_hook").map(({ check }) => check),
    ).toEqual(["own-notes", "message-to-oneself", "message-read-back", "mentions", "split-messages"]);
    expect(chat.calls("chat.postMessage")).toBe(0);
    expect(checksWith(report, "as_expected")).toContain("own-identity");
  });

  test("calls nothing if a pre hook denies it, and says that it was refused", async () => {
    peer.respond = ({ path }) =>
      path === "pre" ? { code: "CHECK_FAILED", error_message: "not now" } : { code: "OK" };
    const report = await checked.report({ write: true });
    expect(report.incomplete).toEqual({ reason: "refused" });
    expect(chat.calls()).toBe(0);
  });

  test("shows nothing if a post hook withholds the result", async () => {
    peer.respond = ({ path }) =>
      path === "post" ? { code: "CHECK_FAILED", error_message: "not this" } : { code: "OK" };
    const report = await checked.report();
    expect(report.incomplete).toEqual({ reason: "refused" });
    expect(checksWith(report, "as_expected", "differs", "observed")).toEqual([]);
  });

  test("is in the execution log", async () => {
    await checked.report();
    const { trail } = checked.deployment.runtime;
    const { items } = await trail.executions(operator(), { limit: 1 });
    expect(items[0]).toMatchObject({ tool: "Chat.SelfCheck@1.0.0", user_id: "alice" });
  });

  test("is not a tool that can be listed or called", async () => {
    const { tools } = await checked.deployment.another();
    const { items } = await tools.listings.list(agent(), { limit: 200 });
    expect(items.map(({ name }) => name)).not.toContain("SelfCheck");
    const call = tools.execute(agent(), {
      tool_name: "Chat.SelfCheck",
      user_id: "alice",
      input: { write: true },
    });
    await expect(call).rejects.toMatchObject({ name: "tool_not_found" });
  });

  test("is refused for a user whom the caller may not act for", async () => {
    const { tools } = await checked.deployment.another();
    const request = { platform: "slack", user_id: "alice", write: true };
    await expect(tools.selfChecks.run(agent(["bob"]), request)).rejects.toMatchObject({ name: "forbidden" });
    expect(chat.calls()).toBe(0);
  });
});
