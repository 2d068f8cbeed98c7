// Clients of language models, as published, with only their base address and key changed: the OpenAI client and the
// public client. The chat platform and the consent are stand-ins, the rest is real.
import Arcade from "@arcadeai/arcadejs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, BadRequestError, RateLimitError } from "openai";
import { chunk, frame, say, startStream, type Turn } from "../sandbox/models/chat-server";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { type ChatSite, startChatSite } from "../support/chat-site";

let chat: ChatSite;
let openai: OpenAI;
let arcade: Arcade;
beforeAll(async () => {
  chat = await startChatSite();
  await chat.site.addChatProvider();
  openai = new OpenAI({ baseURL: `${chat.site.url}/v1`, apiKey: chat.key, maxRetries: 0 });
  arcade = new Arcade({ baseURL: chat.site.url, apiKey: chat.key, maxRetries: 0 });
});
afterAll(() => chat[Symbol.asyncDispose]());

const messages = [{ role: "user" as const, content: "Who am I?" }];
const WEATHER = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "The weather of a place.",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  },
};
/** Calls a tool first, then answers with its output. */
const looping =
  (name: string, input: object): Turn =>
  (request, reply) => {
    const output = request.messages.at(-1);
    if (output?.role !== "tool")
      return say(request, reply, { calls: [{ name, arguments: JSON.stringify(input), id: "c1" }] });
    say(request, reply, { content: `It says ${String(output.content)}`, usage: [20, 10] });
  };

describe("the OpenAI client", () => {
  test("lists models", async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toEqual(["test-model", "other-model"]);
  });

  test("completes", async () => {
    chat.upstream.script((request, reply) => say(request, reply, { content: "Hello." }));
    const answer = await openai.chat.completions.create({ model: "test-model", messages });
    expect([answer.choices[0]?.message.content, answer.usage?.total_tokens]).toEqual(["Hello.", 15]);
  });

  test("streams", async () => {
    chat.upstream.script((request, reply) =>
      say(request, reply, { content: "Grüße aus dem Strom 😀", usage: [3, 4] }),
    );
    const stream = await openai.chat.completions.create({
      model: "local/test-model",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let tokens: number | undefined;
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? "";
      tokens = part.usage?.total_tokens ?? tokens;
    }
    expect([text, tokens]).toEqual(["Grüße aus dem Strom 😀", 7]);
  });

  test("runs its own functions with its own helper", async () => {
    chat.upstream.script(looping("weather", { place: "Rome" }));
    const runner = openai.chat.completions.runTools({
      model: "test-model",
      messages,
      tools: [
        {
          type: "function",
          function: {
            ...WEATHER.function,
            parse: JSON.parse,
            function: ({ place }: { place: string }) => `sun in ${place}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("It says sun in Rome");
  });

  test("gets calls of a catalog's tools and runs them itself", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const answer = await openai.chat.completions.create({
      model: "test-model",
      messages,
      // Tool names are an extension of the protocol that the client's types do not have.
      tools: ["Chat.WhoAmI", WEATHER] as never,
    });
    expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    expect(at(answer, "choices.0.message.tool_calls.0.function.name")).toBe("Chat_WhoAmI");
  });

  const generating = {
    model: "test-model",
    messages,
    user: "alice",
    tools: ["Chat.WhoAmI"] as never,
    tool_choice: "generate" as never,
  };

  test("gets the missing consent's address, and after the consent the answer of the loop", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const pending = await openai.chat.completions.create(generating);
    const url = String(at(pending, "choices.0.tool_authorizations.0.url"));
    await new Browser().consent(url, "alice");
    const answer = await openai.chat.completions.create(generating);
    expect(answer.choices[0]?.message.content).toContain('"username":"alice"');
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(at(answer, "choices.0.tool_messages.1.role")).toBe("tool");
  });

  test("gets the answer of the loop as a stream with its own helper", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    // The helper reads the tools: it accepts no names, only tools in the format of this server.
    const tool = await arcade.tools.formatted.get("Chat.WhoAmI", { format: "openai" });
    const runner = openai.chat.completions.stream({ ...generating, tools: [tool] as never });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.content).toContain('"username":"alice"');
    expect(at(final, "choices.0.tool_messages.0.tool_calls.0.function.name")).toBe("Chat_WhoAmI");
  });

  test("continues with the messages of the run", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const first = await openai.chat.completions.create(generating);
    const run = at(first, "choices.0.tool_messages") as never[];
    chat.upstream.script((request, reply) =>
      say(request, reply, { content: String(request.messages.length) }),
    );
    const message = first.choices[0]?.message;
    const next = await openai.chat.completions.create({
      model: "test-model",
      messages: [
        ...messages,
        ...run,
        ...(message === undefined ? [] : [message]),
        { role: "user", content: "Sure?" },
      ],
    });
    expect([next.choices[0]?.message.content, chat.upstream.refusals]).toEqual(["5", []]);
  });

  test("maps refusals and failures to its errors", async () => {
    const refused = await failureOf(openai.chat.completions.create({ model: "unknown", messages }));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.message).toContain("unknown model");
    chat.upstream.script((_request, reply) => reply.json(429, {}, { "retry-after": "7" }));
    const limited = await failureOf(openai.chat.completions.create({ model: "test-model", messages }));
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited instanceof APIError && limited.headers?.get("retry-after")).toBe("7");
  });

  test("does not treat an interrupted stream as complete", async () => {
    chat.upstream.script((_request, reply) => {
      startStream(reply);
      reply.write(frame(chunk({ content: "a" })));
      setTimeout(() => reply.reset(), 30);
    });
    const stream = await openai.chat.completions.create({ model: "test-model", messages, stream: true });
    let text = "";
    const failure = await failureOf(
      (async () => {
        for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
      })(),
    );
    expect([text, failure.message]).toEqual(["a", expect.stringContaining("closed the connection")]);
  });
});

describe("the public client", () => {
  test("completes", async () => {
    chat.upstream.script((request, reply) => say(request, reply, { content: "Hello." }));
    const answer = await arcade.chat.completions.create({ model: "test-model", messages });
    expect([answer.object, answer.choices?.[0]?.message?.content]).toEqual(["chat.completion", "Hello."]);
  });

  test("gets calls, executes them, and continues", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const request = {
      model: "test-model",
      messages,
      user: "alice",
      tools: ["Chat.WhoAmI"],
      tool_choice: "auto",
    };
    const answer = await arcade.chat.completions.create(request);
    const call = answer.choices?.[0]?.message?.tool_calls?.[0];
    const execution = await arcade.tools.execute({ tool_name: call?.function?.name ?? "", user_id: "alice" });
    const done = await arcade.chat.completions.create({
      ...request,
      messages: [
        ...messages,
        { role: "assistant", content: "", tool_calls: call === undefined ? [] : [call] },
        { role: "tool", content: JSON.stringify(execution.output?.value), tool_call_id: call?.id ?? "" },
      ],
    });
    expect(done.choices?.[0]?.message?.content).toContain('"username":"alice"');
  });

  test.each([
    ["execute", '"username":"alice"'],
    ["generate", "It says"],
  ])("runs tools with %s", async (tool_choice, content) => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const answer = await arcade.chat.completions.create({
      model: "test-model",
      messages,
      user: "alice",
      tools: ["Chat.WhoAmI"],
      tool_choice,
    });
    const choice = answer.choices?.[0];
    expect([choice?.message?.content, choice?.tool_messages?.length]).toEqual([
      expect.stringContaining(content),
      2,
    ]);
  });

  test("gets the missing consent's address", async () => {
    chat.upstream.script(looping("Chat_WhoAmI", {}));
    const answer = await arcade.chat.completions.create({
      model: "test-model",
      messages,
      user: "bob",
      tools: ["Chat.WhoAmI"],
      tool_choice: "generate",
    });
    const [pending] = answer.choices?.[0]?.tool_authorizations ?? [];
    expect([pending?.status, pending?.user_id]).toEqual(["pending", "bob"]);
    expect(pending?.url).toStartWith(`${chat.site.url}/authorize/`);
  });

  test("does not retry completed work", async () => {
    const tool_name = "Chat.SendMessage";
    const { url = "" } = await arcade.tools.authorize({ tool_name, user_id: "alice" });
    await new Browser().consent(url, "alice");
    // With the client's own retries: a write that ran before the model failed is not repeated.
    const retrying = new Arcade({ baseURL: chat.site.url, apiKey: chat.key, maxRetries: 2 });
    const input = { channel_name: "general", message: "once" };
    chat.upstream.script((request, reply) => {
      if (request.messages.at(-1)?.role === "tool") return reply.json(400, { error: { message: "no" } });
      say(request, reply, { calls: [{ name: "Chat_SendMessage", arguments: JSON.stringify(input) }] });
    });
    const request = {
      model: "test-model",
      messages,
      user: "alice",
      tools: [tool_name],
      tool_choice: "generate",
    };
    expect((await failureOf(retrying.chat.completions.create(request))).message).toContain(
      "writes has already run",
    );
    const sent = await chat.site.chat.messages(chat.site.chat.channels.general.id);
    expect(sent.filter(({ text }) => text === "once").length).toBe(1);
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
