// The example hooks: their own tests, and both with real tools.
import "../../examples/hooks/deny-by-channel.test";
import "../../examples/hooks/redact-output.test";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDenyByChannel } from "../../examples/hooks/deny-by-channel";
import type { Receiver } from "../../examples/hooks/receive";
import { startRedactOutput } from "../../examples/hooks/redact-output";
import { connect, type Stage, startStage } from "../server/stage";
import { api, at } from "../support/api";

const SECRET = `whsec_${Buffer.from("a secret of the two of us, 32 B.").toString("base64")}`;

let stage: Stage;
let receivers: Receiver[];
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  const channels = startDenyByChannel({ port: 0, secret: SECRET, allowed: ["general"] });
  const emails = startRedactOutput({ port: 0, secret: SECRET });
  receivers = [channels, emails];
  const admin = api(stage.site.url, stage.keys.admin);
  const hook = { phase: "before", failure_mode: "fail_closed" };
  for (const [name, endpoints] of [
    ["channels", { pre: { url: `${channels.url}/pre`, ...hook } }],
    ["emails", { post: { url: `${emails.url}/post`, ...hook } }],
  ] as const) {
    const webhook_config = { endpoints, signing_secret: SECRET };
    const plugin = { name, plugin_type: "webhook", status: "active", webhook_config };
    expect((await admin.post("/v1/plugins", plugin)).status).toBe(201);
  }
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop();
  await stage[Symbol.asyncDispose]();
});

const execute = async (tool_name: string, input: object) =>
  api(stage.site.url, stage.keys.run).post("/v1/tools/execute", { tool_name, user_id: "alice", input });

test("sends a message to a listed channel and refuses another", async () => {
  const allowed = await execute("Chat.SendMessage", { channel_name: "general", message: "hello" });
  expect(at(allowed.body, "success")).toBe(true);
  const sent = stage.site.chat.calls("chat.postMessage");

  const denied = await execute("Chat.SendMessage", { channel_name: "random", message: "hello" });

  expect(at(denied.body, "output.error.message")).toBe(
    "Tool execution was denied by an extension policy: SendMessage may be used in general only",
  );
  expect(stage.site.chat.calls("chat.postMessage")).toBe(sent);
});

test("removes e-mail addresses from a result", async () => {
  const { body, text } = await execute("Chat.WhoAmI", {});
  expect(at(body, "success")).toBe(true);
  expect(text).toContain("[email]");
  expect(text).not.toContain("@");
});
