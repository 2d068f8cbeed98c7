// Scheduled runs on servers that are killed (none runs twice) or stopped. The long version is
// test/long/scheduled.long.ts.
import { expect, test } from "bun:test";
import { until } from "../connections/executing";
import { startChatSandbox } from "../sandbox/chat";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";
import { drain, sentenceOf } from "./scheduled";

test("of 200 due runs on two servers with 3 kills none runs twice; interrupted runs fail with an unknown outcome", async () => {
  const drained = await drain({ runs: 200, kills: 3, seed: 5 });
  process.stdout.write(sentenceOf(drained));

  expect(drained.faults).toEqual([]);
  expect(drained.completed + drained.unknown).toBe(200);
  expect(drained.unknown).toBeGreaterThan(0);
}, 120_000);

test("after SIGTERM the server finishes the current run and leaves runs that are not due", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  const server = await installation.serve();
  const client = api(server.address, key);
  const send = { tool_name: "Chat.SendMessage", user_id: "alice" };
  const started = await client.post("/v1/tools/authorize", send);
  await new Browser().consent(String(at(started.body, "url")), "alice");
  chat.fail("chat.postMessage", { kind: "delay", ms: 1500 });
  const ask = async (message: string, run_at: string): Promise<string> => {
    const input = { conversation_id: chat.channels.general.id, message };
    return String(at((await client.post("/v1/tools/execute", { ...send, input, run_at })).body, "id"));
  };
  const [now, later] = [await ask("now", "2020-01-01T00:00:00"), await ask("later", "2999-01-01T00:00:00")];
  await until(() => chat.calls("chat.postMessage") === 1);

  await server[Symbol.asyncDispose]();

  const shown = (id: string) => installation.json(["scheduled", "show", id]);
  expect(await shown(now)).toMatchObject({ execution_status: "completed", attempts: [{ success: true }] });
  expect(await shown(later)).toMatchObject({ execution_status: "pending", attempts: [] });
  expect((await chat.messages(chat.channels.general.id)).at(-1)?.text).toBe("now");
}, 60_000);
