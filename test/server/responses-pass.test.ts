// Responses of a server that speaks the protocol itself, and embeddings: bytes pass both ways.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askResponses, eventsIn } from "../llm/responses/ask";
import { at } from "../support/api";
import { type ChatSite, startChatSite, UPSTREAM_KEY } from "../support/chat-site";
import { type Exchange, type Reply, startScriptedServer, type ScriptedServer } from "../sandbox/models/http";

let chat: ChatSite;
let upstream: ScriptedServer;
let answer: (exchange: Exchange, reply: Reply) => void;
beforeAll(async () => {
  upstream = await startScriptedServer((exchange, reply) => answer(exchange, reply));
  const server = { base_url: `${upstream.origin}/v1`, api_key: UPSTREAM_KEY };
  chat = await startChatSite({
    environment: { RUNTIME_LLM_TIMEOUT: "2" },
    models: [
      { id: "native", models: ["speaks"], openai: { ...server, responses_endpoint: "/responses" } },
      { id: "other", models: ["elsewhere"], openai: { ...server, embeddings_endpoint: "/embed?version=1" } },
      { id: "claude", models: ["claude-x"], anthropic: {} },
    ],
  });
  await chat.site.addChatProvider();
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const WHOLE = `{ "id":"resp_1","object":"response","created_at":1,"model":"speaks","output":[],"n":12345678901234567890, "error":null}`;
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const CREATED = event("response.created", { response: { id: "resp_1", error: null }, sequence_number: 0 });
const DELTA = event("response.output_text.delta", { delta: "Hi.", sequence_number: 1 });
const COMPLETED = event("response.completed", { response: { id: "resp_1" }, sequence_number: 2 });

function streams(...pieces: readonly string[]): void {
  answer = (_exchange, reply) => {
    reply.head(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) reply.write(piece);
    reply.end();
  };
}

describe("a whole response", () => {
  test("passes byte for byte, with fields that need a stored response, and our key", async () => {
    answer = (_exchange, reply) => reply.send(200, { "content-type": "application/json" }, WHOLE);
    const text = `{ "model":"speaks","input":"h\\u00e9 \u{1F600}", "store":true,"background":true, "previous_response_id":"resp_0","tools":[{"type":"web_search"}],"prompt":{"id":"p"},"future":12345678901234567890}`;
    const response = await askResponses(chat, text);
    expect(await response.text()).toBe(WHOLE);
    const seen = upstream.exchanges.at(-1);
    expect([seen?.text, seen?.path, seen?.headers["authorization"]]).toEqual([
      text,
      "/v1/responses",
      `Bearer ${UPSTREAM_KEY}`,
    ]);
  });

  test("has the server's names of the model and of tools", async () => {
    answer = (_exchange, reply) => reply.send(200, { "content-type": "application/json" }, WHOLE);
    await askResponses(
      chat,
      `{"model":"native/speaks", "input":"Hi.","user":"alice","tools":["Chat.WhoAmI",{"type":"web_search"},{"type":"function","name":"mine","parameters":null,"strict":null}],"tool_choice":{"type":"function","name":"Chat.WhoAmI"}}`,
    );
    const body: unknown = JSON.parse(upstream.exchanges.at(-1)?.text ?? "");
    expect(at(body, "model")).toBe("speaks");
    expect(at(body, "tools")).toMatchObject([
      { type: "function", name: "Chat_WhoAmI", parameters: { type: "object" } },
      { type: "function", name: "mine" },
      { type: "web_search" },
    ]);
    expect(at(body, "tool_choice")).toEqual({ type: "function", name: "Chat_WhoAmI" });
  });

  test.each<[string, number, string, number, string]>([
    ["a refusal", 400, '{"error":{"message":"no such model"}}', 400, "no such model"],
    ["an error in a success", 200, '{"error":{"message":"overloaded"}}', 500, "overloaded"],
    ["something else", 200, '{"choices":[]}', 500, "no output"],
    ["a page", 200, "<html></html>", 500, "not JSON"],
  ])("that is %s is an error", async (_name, status, sent, code, message) => {
    answer = (_exchange, reply) => reply.send(status, { "content-type": "application/json" }, sent);
    const response = await askResponses(chat, { model: "speaks", input: "Hi." });
    const body: unknown = await response.json();
    expect([response.status, at(body, "error.message")]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe("a stream", () => {
  test.each([
    ["alone", [CREATED, DELTA, COMPLETED]],
    [
      "in odd pieces",
      [CREATED.slice(0, 30), CREATED.slice(30) + DELTA.slice(0, 3), DELTA.slice(3) + COMPLETED],
    ],
    [
      "with comments and unknown events",
      [": hi\n\n", CREATED, event("new.kind", { x: 1 }), DELTA, COMPLETED],
    ],
    ["with what other protocols end with", [CREATED, DELTA, COMPLETED, "data: [DONE]\n\n"]],
    [
      "that fails by the protocol",
      [CREATED, event("response.failed", { response: { error: { message: "x" } } })],
    ],
    ["that is incomplete by the protocol", [CREATED, event("response.incomplete", { response: {} })]],
  ])("passes byte for byte: %s", async (_name, pieces) => {
    streams(...pieces);
    const response = await askResponses(chat, { model: "speaks", input: "Hi.", stream: true });
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "text/event-stream; charset=utf-8",
      pieces.join(""),
    ]);
  });

  test.each([
    ["stops before its end", [CREATED, DELTA], "incomplete stream"],
    [
      "contains an error",
      [CREATED, DELTA, event("error", { code: "x", message: "overloaded" })],
      "overloaded",
    ],
    ["contains garbage", [CREATED, "event: response.completed\ndata: {oops\n\n"], "not JSON"],
  ])("that %s ends with an error of the protocol", async (_name, pieces, message) => {
    streams(...pieces);
    const response = await askResponses(chat, { model: "speaks", input: "Hi.", stream: true });
    const last = eventsIn(await response.text()).at(-1);
    expect([last?.type, last?.["message"], at(last, "error.message")]).toEqual([
      "error",
      expect.stringContaining(message),
      expect.stringContaining(message),
    ]);
  });

  test.each([
    ["an error", [event("error", { code: "rate_limit_exceeded", message: "slow down" })], 429, "slow down"],
    [
      "a failure",
      [
        event("response.failed", {
          response: { error: { code: "rate_limit_exceeded", message: "slow down" } },
        }),
      ],
      429,
      "slow down",
    ],
    ["nothing", [": hi\n\n"], 500, "incomplete"],
  ])("that begins with %s is an ordinary error", async (_name, pieces, status, message) => {
    streams(...pieces);
    const response = await askResponses(chat, { model: "speaks", input: "Hi.", stream: true });
    expect([response.status, at(await response.json(), "error.message")]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  });
});

describe("embeddings", () => {
  const SENT = `{ "object":"list","data":[ {"embedding":[0.10000000000000001]} ],"n":12345678901234567890}`;
  const embed = (body: string): Promise<Response> =>
    fetch(`${chat.site.url}/v1/embeddings`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${chat.key}`, "content-type": "application/json" },
    });

  test.each([
    ["speaks", "speaks", "/v1/embeddings"],
    ["other/elsewhere", "elsewhere", "/v1/embed?version=1"],
  ])("of %s pass byte for byte", async (model, named, path) => {
    answer = (_exchange, reply) => reply.send(200, { "content-type": "application/json" }, SENT);
    const text = (name: string): string => `{ "input":[[1,2],[3]], "model":"${name}","future":1.0}`;
    const response = await embed(text(model));
    expect([response.status, await response.text()]).toEqual([200, SENT]);
    const seen = upstream.exchanges.at(-1);
    expect([seen?.text, seen?.path, seen?.headers["authorization"]]).toEqual([
      text(named),
      path,
      `Bearer ${UPSTREAM_KEY}`,
    ]);
  });

  test.each([
    ["a model of the messages protocol", '{"model":"claude-x","input":"x"}', "no embeddings"],
    ["no input", '{"model":"speaks"}', "input"],
    ["an unknown model", '{"model":"x","input":"x"}', "unknown model"],
  ])("of %s are refused", async (_name, body, message) => {
    const response = await embed(body);
    expect([response.status, at(await response.json(), "error.message")]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  test("that are something else are an error", async () => {
    answer = (_exchange, reply) => reply.send(200, { "content-type": "application/json" }, "{}");
    expect((await embed('{"model":"speaks","input":"x"}')).status).toBe(500);
  });
});

describe("errors below /v1", () => {
  test.each([
    ["an unknown address", "GET", "/v1/nothing", 404],
    ["another method", "DELETE", "/v1/responses", 404],
    ["a stored response", "GET", "/v1/responses/resp_1", 404],
    ["an address of a project", "GET", "/v1/orgs/default/projects/default/nothing", 404],
    ["an operation without a credential", "GET", "/v1/tools", 401],
    ["an operation that is not of models", "GET", "/v1/tools/Chat.Nothing", 400],
  ])("%s: both forms have the message", async (_name, method, path, status) => {
    const headers = status === 401 ? {} : { authorization: `Bearer ${chat.key}` };
    const response = await fetch(chat.site.url + path, { method, headers });
    const body: unknown = await response.json();
    expect(response.status).toBe(status);
    expect(at(body, "error.message")).toBe(at(body, "message"));
    expect(String(at(body, "message"))).not.toBe("");
  });
});
