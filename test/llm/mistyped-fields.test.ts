// Mistyped fields of requests to models: refused with the right name, in all objects that this server reads, although other
// fields are passed on. No field that a server of models really has is refused.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TSchema } from "typebox";
import { checked } from "../../src/base";
import { EmbeddingsRequest } from "../../src/llm/embeddings";
import { ResponsesRequest } from "../../src/llm/responses/schema";
import { ChatRequest } from "../../src/llm/schema";
import { at, call } from "../support/api";
import { type ChatSite, startChatSite } from "../support/chat-site";
import {
  CHAT_FIELDS,
  EMBEDDING_FIELDS,
  MESSAGE_FIELDS,
  PART_FIELDS,
  RESPONSES_FIELDS,
  TOOL_FIELDS,
} from "./server-fields";

let stage: ChatSite;
beforeAll(async () => {
  stage = await startChatSite();
});
afterAll(() => stage[Symbol.asyncDispose]());

const post = (path: string, body: object) =>
  call(stage.site.url, { method: "POST", path, key: stage.key, body });

const say = { role: "user", content: "Hello?" };
const chat = { model: "test-model", messages: [say] };
const responses = { model: "test-model", input: [say] };
const embeddings = { model: "test-model", input: "a text" };
const NAMED = { name: "f", parameters: {} };

const MISTYPED: [string, object, string, string][] = [
  ["chat/completions", { ...chat, tool_choise: "generate" }, "tool_choise", "tool_choice"],
  ["chat/completions", { ...chat, steam: true }, "steam", "stream"],
  ["chat/completions", { ...chat, toolChoice: "generate" }, "toolChoice", "tool_choice"],
  ["chat/completions", { ...chat, max_token: 5 }, "max_token", "max_tokens"],
  ["chat/completions", { ...chat, tool: ["Chat.WhoAmI"] }, "tool", "tools"],
  ["chat/completions", { ...chat, uesr: "alice" }, "uesr", "user"],
  [
    "chat/completions",
    { ...chat, messages: [say, { role: "user", conten: "x" }] },
    "messages.1.conten",
    "content",
  ],
  [
    "chat/completions",
    { ...chat, messages: [{ role: "user", content: [{ type: "text", txet: "x" }] }] },
    "messages.0.content.0.txet",
    "text",
  ],
  [
    "chat/completions",
    { ...chat, messages: [say, { role: "assistant", content: null, tool_call: [] }] },
    "messages.1.tool_call",
    "tool_calls",
  ],
  [
    "chat/completions",
    { ...chat, messages: [{ ...say, tool_calls: [{ id: "1", function: { name: "f", argument: "{}" } }] }] },
    "messages.0.tool_calls.0.function.argument",
    "arguments",
  ],
  [
    "chat/completions",
    { ...chat, tools: [{ type: "function", function: { name: "f", paramters: {} } }] },
    "tools.0.function.paramters",
    "parameters",
  ],
  [
    "chat/completions",
    { ...chat, tools: [{ type: "function", functon: NAMED }] },
    "tools.0.functon",
    "function",
  ],
  [
    "chat/completions",
    { ...chat, tool_choice: { type: "function", funtion: { name: "f" } } },
    "tool_choice.funtion",
    "function",
  ],
  [
    "chat/completions",
    { ...chat, stream: true, stream_options: { include_usag: true } },
    "stream_options.include_usag",
    "include_usage",
  ],
  [
    "chat/completions",
    { ...chat, response_format: { type: "json_schema", json_shema: {} } },
    "response_format.json_shema",
    "json_schema",
  ],
  ["responses", { ...responses, tool_choise: "generate" }, "tool_choise", "tool_choice"],
  ["responses", { ...responses, steam: true }, "steam", "stream"],
  ["responses", { ...responses, instruction: "x" }, "instruction", "instructions"],
  ["responses", { ...responses, max_output_token: 5 }, "max_output_token", "max_output_tokens"],
  ["responses", { ...responses, input: [{ role: "user", contnet: "x" }] }, "input.0.contnet", "content"],
  [
    "responses",
    { ...responses, input: [say, { type: "function_call_output", callid: "1", output: "x" }] },
    "input.1.callid",
    "call_id",
  ],
  [
    "responses",
    { ...responses, tools: [{ type: "function", name: "f", paramters: {} }] },
    "tools.0.paramters",
    "parameters",
  ],
  ["responses", { ...responses, reasoning: { efort: "low" } }, "reasoning.efort", "effort"],
  ["responses", { ...responses, text: { formt: {} } }, "text.formt", "format"],
  [
    "responses",
    { ...responses, text: { format: { type: "json_schema", shema: {} } } },
    "text.format.shema",
    "schema",
  ],
  ["embeddings", { ...embeddings, uesr: "alice" }, "uesr", "user"],
  ["embeddings", { ...embeddings, dimentions: 5 }, "dimentions", "dimensions"],
  ["embeddings", { ...embeddings, encodingFormat: "float" }, "encodingFormat", "encoding_format"],
];

test.each(MISTYPED)("%s: %j is refused", async (path, body, field, meant) => {
  const sent = stage.upstream.exchanges.length;
  const answer = await post(`/v1/${path}`, body);

  expect([answer.status, stage.upstream.exchanges.length - sent]).toEqual([400, 0]);
  expect(at(answer.body, "message")).toBe(
    `failed to validate request body: ${field} is not a known field; did you mean ${meant}?`,
  );
});

describe("a name like that of another field is passed on", () => {
  test.each<[string, string, object, object]>([
    ["that a server knows", "chat/completions", chat, { min_tokens: 5, top_k: 1, models: ["other"] }],
    ["in free fields", "chat/completions", chat, { metadata: { steam: "x", tool_choise: "y" } }],
    ["that is given, too", "chat/completions", chat, { stream: false, streams: 1 }],
    ["that a server knows", "embeddings", embeddings, { dimension: 5, inputs: 1 }],
  ])("%s: %s", async (_what, path, body, more) => {
    const answer = await post(`/v1/${path}`, { ...body, ...more });

    expect(answer.status).toBe(200);
    expect(stage.upstream.exchanges.at(-1)?.body).toMatchObject(more);
  });
});

/** The fields of an interface of the OpenAI package; without a name, of all of them. */
function fieldsIn(file: string, interfaceName?: string): string[] {
  const text = readFileSync(`${import.meta.dir}/../../node_modules/openai/resources/${file}`, "utf8");
  const start = interfaceName === undefined ? 0 : text.indexOf(`export interface ${interfaceName} `);
  const end = interfaceName === undefined ? text.length : text.indexOf("\n}", start);
  const names = text.slice(start, end).matchAll(/^ {4,12}(\w+)\??: /gm);
  return [...new Set([...names].map(([, name = ""]) => name))];
}

const CHAT_FILE = "chat/completions/completions.d.ts";
const RESPONSES_FILE = "responses/responses.d.ts";
const OF_ITEMS = fieldsIn(RESPONSES_FILE);
const OF_MESSAGES = fieldsIn(CHAT_FILE, "ChatCompletionMessage");

/** How the schema takes an object that has the fields at a place. */
const PLACES: [string, TSchema, (fields: object) => object, readonly string[]][] = [
  ["a chat", ChatRequest, (fields) => fields, fieldsIn(CHAT_FILE, "ChatCompletionCreateParamsBase")],
  ...Object.entries(CHAT_FIELDS).map(([server, names]): (typeof PLACES)[number] => [
    `a chat with ${server}`,
    ChatRequest,
    (one) => one,
    names,
  ]),
  ["a message", ChatRequest, (one) => ({ messages: [one] }), [...OF_MESSAGES, ...MESSAGE_FIELDS]],
  ["a part", ChatRequest, (one) => ({ messages: [{ content: [one] }] }), PART_FIELDS],
  ["a tool", ChatRequest, (one) => ({ tools: [one] }), TOOL_FIELDS],
  ["a function", ChatRequest, (one) => ({ tools: [{ function: one }] }), TOOL_FIELDS],
  ["responses", ResponsesRequest, (one) => one, fieldsIn(RESPONSES_FILE, "ResponseCreateParamsBase")],
  ...Object.entries(RESPONSES_FIELDS).map(([server, names]): (typeof PLACES)[number] => [
    `responses with ${server}`,
    ResponsesRequest,
    (one) => one,
    names,
  ]),
  ["an item", ResponsesRequest, (one) => ({ input: [one] }), OF_ITEMS],
  ["a tool of responses", ResponsesRequest, (one) => ({ tools: [one] }), [...TOOL_FIELDS, ...OF_ITEMS]],
  ["a choice of responses", ResponsesRequest, (one) => ({ tool_choice: one }), OF_ITEMS],
  ["reasoning of responses", ResponsesRequest, (one) => ({ reasoning: one }), OF_ITEMS],
  ["text of responses", ResponsesRequest, (one) => ({ text: one }), OF_ITEMS],
  ["a format of responses", ResponsesRequest, (one) => ({ text: { format: one } }), OF_ITEMS],
  [
    "embeddings",
    EmbeddingsRequest,
    (one) => one,
    [...EMBEDDING_FIELDS, ...fieldsIn("embeddings.d.ts", "EmbeddingCreateParams")],
  ],
];

describe("no field that servers really have is taken for a mistyped one:", () => {
  test.each(PLACES)("%s", (_place, schema, place, names) => {
    expect(names.length).toBeGreaterThan(0);
    // One at a time, because a field that is given is not meant by another name.
    const refused = names.filter((name) => isTakenForMistyped(schema, place({ [name]: null })));

    expect(refused).toEqual([]);
  });
});

function isTakenForMistyped(schema: TSchema, value: object): boolean {
  try {
    checked(schema, value, "request body");
    return false;
  } catch (error) {
    // What is required is missing here.
    return String(error).includes("did you mean");
  }
}
