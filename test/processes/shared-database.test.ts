// Several processes on one database: nothing is done twice.
import { expect, test } from "bun:test";
import { startChatSandbox } from "../sandbox/chat";
import { api, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";

const SEND = {
  tool_name: "Chat.SendMessage",
  user_id: "alice",
  input: { channel_name: "general", message: "once" },
};

async function consent(address: string, key: string, tool: string): Promise<void> {
  const started = await api(address, key).post("/v1/tools/authorize", { tool_name: tool, user_id: "alice" });
  await new Browser().consent(String(at(started.body, "url")), "alice");
}

test("20 simultaneous requests with one Idempotency-Key at two servers send one message and get equal answers", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  await using first = await installation.serve();
  await using second = await installation.serve();
  await consent(first.address, key, "Chat.SendMessage");
  chat.fail("chat.postMessage", { kind: "delay", ms: 300 });

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call(index % 2 === 0 ? first.address : second.address, {
        method: "POST",
        path: "/v1/tools/execute",
        key,
        body: SEND,
        headers: { "idempotency-key": "twenty" },
      }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(at(answers[0]?.body, "success")).toBe(true);
  expect(chat.calls("chat.postMessage")).toBe(1);
}, 60_000);

test("an expired single-use refresh token is used once for 10 calls of the server and 10 of the terminal", async () => {
  await using chat = await startChatSandbox({ rotation: true });
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  await using server = await installation.serve();
  await consent(server.address, key, "Chat.WhoAmI");
  await installation.expireTokens();
  chat.clearRequests();
  chat.fail("refresh", { kind: "delay", ms: 500 });
  const whoAmI = { tool_name: "Chat.WhoAmI", user_id: "alice" };

  const [answers, commands] = await Promise.all([
    Promise.all(Array.from({ length: 10 }, () => api(server.address, key).post("/v1/tools/execute", whoAmI))),
    Promise.all(
      Array.from({ length: 10 }, () =>
        installation.run(["tools", "exec", "Chat.WhoAmI", "--user", "alice", "-o", "json"]),
      ),
    ),
  ]);

  expect(answers.map(({ body }) => at(body, "output.value.username"))).toEqual(Array(10).fill("alice"));
  expect(commands.map(({ code, stderr }) => [code, stderr])).toEqual(Array(10).fill([0, ""]));
  expect(chat.calls("refresh")).toBe(1);
}, 60_000);

test("a consent that another process completes wakes waiters", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  await using first = await installation.serve();
  // Both use the same public address for redirects, as behind a proxy.
  installation.environment["RUNTIME_PUBLIC_URL"] = first.address;
  await using second = await installation.serve();
  const started = await api(second.address, key).post("/v1/tools/authorize", {
    tool_name: "Chat.WhoAmI",
    user_id: "alice",
  });
  const waiting = api(second.address, key).get(
    `/v1/auth/status?id=${String(at(started.body, "id"))}&wait=59`,
  );
  await new Browser().consent(String(at(started.body, "url")), "alice");

  expect(at((await waiting).body, "status")).toBe("completed");
  // Shorter than the wait.
}, 50_000);

test("a key that the terminal revokes is refused by the server at once", async () => {
  await using chat = await startChatSandbox();
  await using installation = new Installation(chat);
  const record = await installation.json(["keys", "create", "short-lived"]);
  const key = String(Object(record).key);
  await using server = await installation.serve();
  expect((await api(server.address, key).get("/v1/tools")).status).toBe(200);

  expect((await installation.run(["keys", "delete", String(Object(record).id), "--yes"])).code).toBe(0);

  expect((await api(server.address, key).get("/v1/tools")).status).toBe(401);
}, 60_000);
