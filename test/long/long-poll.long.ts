// A long poll over its whole length, in real time: nothing on the way may cut it.
import { expect, test } from "bun:test";
import { startChatSandbox } from "../sandbox/chat";
import { api, at } from "../support/api";
import { Installation } from "../support/runtime-process";

test("auth-status waits 59 seconds and answers pending [fault: silent-request]", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const agent = await installation.key("run");
  await using server = await installation.serve();
  const client = api(server.address, agent);
  const started = await client.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
  const begun = performance.now();

  const answer = await client.get(`/v1/auth/status?id=${String(at(started.body, "id"))}&wait=59`);

  expect([answer.status, at(answer.body, "status")]).toEqual([200, "pending"]);
  expect(performance.now() - begun).toBeGreaterThan(58_000);
}, 90_000);
