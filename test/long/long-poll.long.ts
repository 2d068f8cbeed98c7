// A long poll of full length in real time: nothing may interrupt it.
import { expect, test } from "bun:test";
import { startChatSandbox } from "../sandbox/chat";
import { api, at } from "../support/api";
import { Installation } from "../support/runtime-process";

test("auth-status waits 59 seconds and returns pending [fault: silent-request]", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const agent = await installation.key("run");
  await using server = await installation.serve();
  const client = api(server.address, agent);
  const started = await client.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
  const order: number[] = [];
  const poll = async (wait: number): Promise<void> => {
    const answer = await client.get(`/v1/auth/status?id=${String(at(started.body, "id"))}&wait=${wait}`);
    expect([answer.status, at(answer.body, "status")]).toEqual([200, "pending"]);
    order.push(wait);
  };

  await Promise.all([poll(59), poll(57)]);
  expect(order).toEqual([57, 59]);
}, 90_000);
