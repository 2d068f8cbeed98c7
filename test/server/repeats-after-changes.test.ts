// Requests that are repeated under their Idempotency-Key after the tools have changed, or with a model that words a call
// differently: what ran once does not run again, and its answer is not lost.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { say, type Turn } from "../sandbox/models/chat-server";
import { type ApiAnswer, api, at, call } from "../support/api";
import { type ChatSite, startChatSite } from "../support/chat-site";
import { httpWorker } from "../workers/site";
import { answered, definition } from "../workers/http/stand-in";

/** A worker with one tool that writes, of a version that tests change. */
function startWorker() {
  const worker = { version: "1.0.0", name: "Post", inputs: [] as unknown[] };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/worker/health") return Response.json({ status: "ok", tool_count: "1" });
      if (pathname === "/worker/tools") return Response.json(toolsOf(worker));
      const body = await request.text();
      worker.inputs.push(at(JSON.parse(body), "inputs"));
      return answered({ path: pathname, authorization: null, body }, { value: worker.inputs.length });
    },
  });
  return Object.assign(worker, {
    uri: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  });
}

function toolsOf({ version, name: tool }: { version: string; name: string }): object[] {
  const parameter = (name: string, val_type: string) => ({
    name,
    required: false,
    description: `The ${name}.`,
    inferrable: true,
    value_schema: { val_type },
  });
  const parameters = [
    parameter("text", "string"),
    parameter("channel", "string"),
    parameter("count", "integer"),
  ];
  const toolkit = { name: "Web", description: null, version };
  return [definition({ name: tool, fully_qualified_name: `Web.${tool}`, toolkit, input: { parameters } })];
}

let worker: ReturnType<typeof startWorker>;
let stage: ChatSite;
let admin: ReturnType<typeof api>;
let count = 0;
beforeAll(async () => {
  stage = await startChatSite();
  admin = api(stage.site.url, await stage.site.key("admin"));
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await worker?.[Symbol.asyncDispose]();
  await admin.delete("/v1/workers/web");
  worker = startWorker();
  count++;
  const record = { ...httpWorker("web", worker.uri), updates: "auto" };
  expect((await admin.post("/v1/workers", record)).status).toBe(201);
});
afterAll(() => worker[Symbol.asyncDispose]());

const refresh = () => admin.post("/v1/workers/web/refresh");
/** What changes, how, and the status of a new call then. */
const changes: [string, () => Promise<ApiAnswer>, number][] = [
  [
    "it has a new version",
    () => {
      worker.version = "1.0.1";
      return refresh();
    },
    200,
  ],
  [
    "its worker no longer has it",
    () => {
      worker.name = "Other";
      return refresh();
    },
    400,
  ],
  ["its worker is disabled", () => admin.patch("/v1/workers/web", { enabled: false }), 400],
  ["its worker is deleted", () => admin.delete("/v1/workers/web"), 400],
];

const RUN = { tool_name: "Web.Post", user_id: "alice", input: { text: "x" } };
const execute = (more: object = {}, key = "key"): Promise<ApiAnswer> =>
  call(stage.site.url, {
    method: "POST",
    path: "/v1/tools/execute",
    key: stage.key,
    headers: { "idempotency-key": `${key}-${count}` },
    body: { ...RUN, ...more },
  });

describe("a call of a tool gets the answer of the first time although", () => {
  test.each(changes)("%s", async (_what, change, status) => {
    const first = await execute();
    expect((await change()).status).toBeLessThan(300);
    const again = await execute();

    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect(worker.inputs.length).toBe(1);
    expect((await execute({}, "another")).status).toBe(status);
  });

  test.each(changes)("%s, if it was scheduled", async (_what, change) => {
    const later = { run_at: "2090-01-01T00:00:00" };
    const first = await execute(later);
    expect((await change()).status).toBeLessThan(300);
    const again = await execute(later);

    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  });

  test("the fields of its input are in another order", async () => {
    const first = await execute({ input: { text: "x", channel: "c" } });
    const again = await execute({ input: { channel: "c", text: "x" } });

    expect([again.status, again.body]).toEqual([200, first.body]);
  });
});

describe("a call of a tool under a used key is refused if", () => {
  test.each<[string, object]>([
    ["it names a version", { tool_version: "1.0.0" }],
    ["it names a version in its name", { tool_name: "Web.Post@1.0.0" }],
    ["it has another input", { input: { text: "y" } }],
    ["it is for another time", { run_at: "2090-01-01T00:00:00" }],
  ])("%s, also after the tool is gone", async (_what, more) => {
    await execute();
    const before = await execute(more);
    worker.name = "Other";
    await refresh();
    const after = await execute(more);

    expect([before, after].map(({ body }) => at(body, "name"))).toEqual(
      Array(2).fill("idempotency_mismatch"),
    );
  });
});

test("a call of a tool that does not exist does not use up its key", async () => {
  worker.name = "Other";
  await refresh();
  const missing = await execute();
  worker.name = "Post";
  await refresh();
  const found = await execute();

  expect([missing.status, at(missing.body, "name"), found.status]).toEqual([400, "tool_not_found", 200]);
  expect(worker.inputs.length).toBe(1);
});

const ASKED = {
  chat: { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "Post it." }] } },
  responses: { path: "/v1/responses", body: { input: "Post it." } },
};

/** Asks under one key, with a model that makes these calls. */
async function complete(protocol: keyof typeof ASKED, calls: readonly object[]): Promise<number> {
  const called = calls.map((input, index) => ({
    id: `call-${index}`,
    name: "Web_Post",
    arguments: JSON.stringify(input),
  }));
  const turn: Turn = (request, reply) =>
    say(request, reply, request.messages.at(-1)?.role === "tool" ? { content: "Done." } : { calls: called });
  stage.upstream.script(turn);
  const { path, body } = ASKED[protocol];
  const { status } = await call(stage.site.url, {
    method: "POST",
    path,
    key: stage.key,
    headers: { "idempotency-key": `key-${count}` },
    body: { ...body, model: "test-model", user: "alice", tools: ["Web.Post"], tool_choice: "generate" },
  });
  return status;
}

describe.each(["chat", "responses"] as const)("a repeat of a request to %s", (protocol) => {
  test.each<[string, object, object]>([
    ["writes the fields in another order", { text: "x", channel: "c" }, { channel: "c", text: "x" }],
    ["writes a number as text", { text: "x", count: 5 }, { text: "x", count: "5" }],
    ["writes null for what it left out", { text: "x" }, { text: "x", count: null }],
  ])("does not repeat a write although the model %s", async (_what, first, second) => {
    const statuses = [await complete(protocol, [first]), await complete(protocol, [second])];

    expect([...statuses, worker.inputs.length]).toEqual([200, 200, 1]);
  });

  test("does not repeat a write although the tool has a new version", async () => {
    await complete(protocol, [{ text: "x" }]);
    worker.version = "1.0.1";
    await refresh();
    const status = await complete(protocol, [{ text: "x" }]);

    expect([status, worker.inputs.length]).toEqual([200, 1]);
    expect(JSON.stringify(stage.upstream.requests.at(-1)?.messages.at(-1)?.content)).toBe('"1"');
  });

  test("writes twice if the model makes the same call twice, and no more when it is repeated", async () => {
    const twice = [
      { text: "x", channel: "c" },
      { channel: "c", text: "x" },
    ];
    await complete(protocol, twice);
    expect(worker.inputs.length).toBe(2);
    await complete(protocol, twice);
    expect(worker.inputs.length).toBe(2);
  });

  test("writes again if the model wants something else", async () => {
    await complete(protocol, [{ text: "x" }]);
    await complete(protocol, [{ text: "y" }]);

    expect(worker.inputs).toEqual([{ text: "x" }, { text: "y" }]);
  });
});
