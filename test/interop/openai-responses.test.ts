// The OpenAI client as published, with only its base address and key changed: responses and embeddings. The server of the
// model speaks chat completions.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from "openai";
import type { ResponseInput } from "openai/resources/responses/responses";
import { chunk, frame, say, startStream, type Turn } from "../sandbox/models/chat-server";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { type ChatSite, startChatSite } from "../support/chat-site";

let chat: ChatSite;
let openai: OpenAI;
beforeAll(async () => {
  chat = await startChatSite();
  await chat.site.addChatProvider();
  openai = new OpenAI({ baseURL: `${chat.site.url}/v1`, apiKey: chat.key, maxRetries: 0 });
});
afterAll(() => chat[Symbol.asyncDispose]());

const WEATHER = {
  type: "function" as const,
  name: "weather",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  strict: false,
};
const asking = { model: "test-model", input: "How is the weather?" };

/** Calls a tool first, then answers with its output. */
const looping =
  (name: string, input: object): Turn =>
  (request, reply) => {
    const output = request.messages.at(-1);
    if (output?.role !== "tool")
      return say(request, reply, {
        calls: [{ name, arguments: JSON.stringify(input), id: "c1" }],
        usage: [9, 3],
      });
    say(request, reply, { content: `It says ${String(output.content)}`, usage: [20, 10] });
  };

describe("responses", () => {
  test("answer whole", async () => {
    chat.upstream.script((request, reply) => say(request, reply, { content: "Hello." }));
    const answer = await openai.responses.create({
      ...asking,
      instructions: "Be brief.",
      max_output_tokens: 50,
    });
    expect([answer.output_text, answer.status, answer.usage?.total_tokens, at(answer, "store")]).toEqual([
      "Hello.",
      "completed",
      15,
      false,
    ]);
    expect(chat.upstream.requests.at(-1)).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How is the weather?" },
      ],
      max_tokens: 50,
    });
  });

  test("stream", async () => {
    chat.upstream.script((request, reply) => say(request, reply, { content: "Grüße 😀 aus dem Strom" }));
    const stream = await openai.responses.create({ ...asking, stream: true });
    const types: string[] = [];
    let text = "";
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    expect(text).toBe("Grüße 😀 aus dem Strom");
    expect(types.filter((type) => type !== "response.output_text.delta")).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  test("run the caller's functions over three rounds, with the output as the next input", async () => {
    chat.upstream.script(looping("weather", { place: "Rome" }));
    const input: ResponseInput = [{ role: "user", content: "How is the weather?" }];
    const first = await openai.responses.create({ model: "test-model", input, tools: [WEATHER] });
    // The types of items of hosted tools differ in details.
    input.push(...(first.output as ResponseInput));
    for (const item of first.output) {
      if (item.type !== "function_call") continue;
      expect([item.name, JSON.parse(item.arguments)]).toEqual(["weather", { place: "Rome" }]);
      input.push({ type: "function_call_output", call_id: item.call_id, output: "sun" });
    }
    const second = openai.responses.stream({ model: "test-model", input, tools: [WEATHER] });
    expect((await second.finalResponse()).output_text).toBe("It says sun");
    expect(chat.upstream.refusals).toEqual([]);
  });

  test("parse JSON with the client's own helper", async () => {
    chat.upstream.script((request, reply) => say(request, reply, { content: '{"sun":true}' }));
    const schema = { type: "object", properties: { sun: { type: "boolean" } } };
    const format = { type: "json_schema" as const, name: "weather", schema, strict: true };
    const answer = await openai.responses.parse({ ...asking, text: { format } });
    expect(answer.output_parsed).toEqual({ sun: true });
    expect(at(chat.upstream.requests.at(-1), "response_format.json_schema")).toEqual({
      name: "weather",
      schema,
      strict: true,
    });
  });

  // Names of tools and these choices are extensions of the protocol that the client's types do not have.
  const generating = { ...asking, user: "alice", tools: ["Chat.WhoAmI"], tool_choice: "generate" } as never;
  const generate = (): Promise<OpenAI.Responses.Response> => openai.responses.create(generating);

  test("say in words that a consent is missing, and run the tools after it", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const pending = await generate();
    const url = String(at(pending, "tool_authorizations.0.url"));
    expect(pending.output_text).toContain(url);
    const stream = openai.responses.stream(generating);
    expect((await stream.finalResponse()).output_text).toContain("/authorize/");

    await new Browser().consent(url, "alice");
    const answer = await generate();
    expect(answer.output_text).toContain('"username":"alice"');
    expect(answer.output.map(({ type }) => type)).toEqual(["mcp_call", "message"]);
    expect(at(answer, "output.0.name")).toBe("Chat_WhoAmI");
    expect(answer.usage?.total_tokens).toBe(42);
  });

  test("stream the loop with the client's own helper", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const stream = openai.responses.stream(generating);
    const types = new Set<string>();
    for await (const event of stream) types.add(event.type);
    const final = await stream.finalResponse();
    expect(final.output_text).toContain('"username":"alice"');
    expect([...types]).toContain("response.mcp_call.completed");
    // A server may use the same id in each turn.
    chat.upstream.script((request, reply, turn) => {
      const rounds = request.messages.filter(({ role }) => role === "tool").length;
      if (rounds === 2) return say(request, reply, { content: `Turn ${turn}.` });
      say(request, reply, { calls: [{ name: "Chat_WhoAmI", arguments: "{}", id: "same" }] });
    });
    const again = await openai.responses.stream(generating).finalResponse();
    expect(again.output.map(({ type }) => type)).toEqual(["mcp_call", "mcp_call", "message"]);
  });

  test("execute returns the output of the calls", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const executing = { ...(generating as object), tool_choice: "execute" } as never;
    const whole: OpenAI.Responses.Response = await openai.responses.create(executing);
    const streamed = await openai.responses.stream(executing).finalResponse();
    expect([JSON.parse(whole.output_text), JSON.parse(streamed.output_text)]).toEqual(
      Array(2).fill(expect.objectContaining({ username: "alice" })),
    );
  });

  test("cut off at the limit are incomplete, with their calls", async () => {
    chat.upstream.script((request, reply) =>
      say(request, reply, { calls: [{ name: "weather", arguments: '{"pla' }], finish: "length" }),
    );
    const answer = await openai.responses.create({ ...asking, tools: [WEATHER] });
    expect([answer.status, answer.incomplete_details?.reason, at(answer, "output.0.status")]).toEqual([
      "incomplete",
      "max_output_tokens",
      "incomplete",
    ]);
    const streamed = await openai.responses.stream({ ...asking, tools: [WEATHER] }).finalResponse();
    expect(streamed.status).toBe("incomplete");
  });

  test("break off as an error, and never look complete", async () => {
    chat.upstream.script((_request, reply) => {
      startStream(reply);
      reply.write(frame(chunk({ content: "a" })));
      setTimeout(() => reply.reset(), 30);
    });
    const stream = await openai.responses.create({ ...asking, stream: true });
    const types: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const event of stream) types.push(event.type);
      })(),
    );
    expect(failure.message).toContain("closed the connection");
    expect(types).toContain("response.failed");
    expect(types).not.toContain("response.completed");
  });
});

describe("embeddings", () => {
  test("pass through", async () => {
    // The stand-in of the model's server knows the rules of chat completions only.
    await using lenient = await startChatSite({ strict: false });
    const sent = {
      object: "list",
      model: "e",
      data: [{ object: "embedding", index: 0, embedding: [0.5, -1] }],
    };
    lenient.upstream.script((_request, reply) =>
      reply.json(200, { ...sent, usage: { prompt_tokens: 2, total_tokens: 2 } }),
    );
    const client = new OpenAI({ baseURL: `${lenient.site.url}/v1`, apiKey: lenient.key, maxRetries: 0 });
    const answer = await client.embeddings.create({
      model: "local/test-model",
      input: ["Hello."],
      encoding_format: "float",
    });
    expect([answer.data[0]?.embedding, answer.usage.total_tokens]).toEqual([[0.5, -1], 2]);
  });
});

describe("errors", () => {
  test.each([
    ["an unknown address", () => openai.files.list(), NotFoundError, "not found"],
    [
      "an unknown model",
      () => openai.responses.create({ ...asking, model: "x" }),
      BadRequestError,
      "unknown model",
    ],
    [
      "a stored response",
      () => openai.responses.create({ ...asking, previous_response_id: "resp_1" }),
      BadRequestError,
      "previous_response_id is not supported",
    ],
    ["store", () => openai.responses.create({ ...asking, store: true }), BadRequestError, "store is not"],
    [
      "background",
      () => openai.responses.create({ ...asking, background: true }),
      BadRequestError,
      "background",
    ],
    [
      "a hosted tool",
      () => openai.responses.create({ ...asking, tools: [{ type: "web_search" }] }),
      BadRequestError,
      "tools.0",
    ],
    [
      "a body that breaks a rule",
      () => openai.responses.create({ model: 7 } as never),
      BadRequestError,
      "model",
    ],
    [
      "an unknown key",
      () =>
        new OpenAI({ baseURL: `${chat.site.url}/v1`, apiKey: "x", maxRetries: 0 }).embeddings.create({
          model: "m",
          input: "x",
        }),
      AuthenticationError,
      "credential",
    ],
  ])("%s is readable", async (_name, ask, type, text) => {
    const failure = await failureOf(ask());
    expect(failure).toBeInstanceOf(type);
    expect(failure.message).toContain(text);
    expect(failure.message).not.toContain("no body");
  });

  test("limits of the model server are limits for the client", async () => {
    chat.upstream.script((_request, reply) => reply.json(429, {}, { "retry-after": "7" }));
    for (const stream of [true, false]) {
      const limited = await failureOf(openai.responses.create({ ...asking, stream }));
      expect(limited).toBeInstanceOf(RateLimitError);
      expect(limited instanceof APIError && limited.headers?.get("retry-after")).toBe("7");
    }
  });
});

// The clients' promises are lazy: the runner's `rejects` does not start them.
async function failureOf(promise: PromiseLike<unknown>): Promise<Error> {
  const failure = await Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error("it did not fail");
}
