import { afterAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { startDenyByChannel } from "./deny-by-channel";

const SECRET = `whsec_${Buffer.from("a secret shared by both, 32 byte").toString("base64")}`;
const server = startDenyByChannel({ port: 0, secret: SECRET, allowed: ["general", "C024BE91L"] });
afterAll(() => server.stop());

/** Sends a request as `runtime` does. */
async function post(tool: object, inputs: object, secret = SECRET): Promise<[number, unknown]> {
  const body = JSON.stringify({ execution_id: "tc_1", tool, inputs, context: { user_id: "alice" } });
  const now = new Date();
  const response = await fetch(`${server.url}/pre`, {
    method: "POST",
    body,
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", now, body),
    },
  });
  return [response.status, await response.json()];
}

const chat = (name: string, read_only: boolean) => ({
  toolkit: "Chat",
  name,
  version: "1.0.0",
  metadata: { behavior: { read_only } },
});
const SEND = chat("SendMessage", false);
const DENIED = { code: "CHECK_FAILED", error_message: "SendMessage may be used in general, C024BE91L only" };

test.each([
  ["a channel on the list", SEND, { channel_name: "general" }, { code: "OK" }],
  ["the same with its sign", SEND, { channel_name: "#general" }, { code: "OK" }],
  ["a conversation on the list", SEND, { conversation_id: "C024BE91L" }, { code: "OK" }],
  ["another channel", SEND, { channel_name: "random" }, DENIED],
  ["another conversation", SEND, { conversation_id: "C999" }, DENIED],
  ["people", SEND, { user_ids: ["U1"] }, DENIED],
  ["reading another channel", chat("GetMessages", true), { channel_name: "random" }, { code: "OK" }],
  ["a tool of another toolkit", { ...SEND, toolkit: "Sheets" }, {}, { code: "OK" }],
])("%s", async (_what, tool, inputs, answer) => {
  expect(await post(tool, inputs)).toEqual([200, answer]);
});

test("refuses a request that is signed with another secret", async () => {
  const other = `whsec_${Buffer.from("another secret with some 32 byte").toString("base64")}`;
  expect((await post(SEND, { channel_name: "general" }, other))[0]).toBe(401);
  expect((await fetch(`${server.url}/pre`, { method: "POST", body: "{}" })).status).toBe(401);
});

test("reports that it is healthy", async () => {
  expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: "healthy" });
});
