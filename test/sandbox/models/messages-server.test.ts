// The official client works with the stand-in of the messages protocol.
import Anthropic, { AuthenticationError, BadRequestError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MessagesServer, startMessagesServer, utter } from "./messages-server";

let server: MessagesServer;
let client: Anthropic;
beforeAll(async () => {
  server = await startMessagesServer("key");
  client = new Anthropic({
    apiKey: "key",
    authToken: null,
    baseURL: server.url.replace(/\/v1$/, ""),
    maxRetries: 0,
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const request = {
  model: "claude-test",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Hello" }],
};
const uttered = {
  text: "Grüße 😀 aus zwei Aufrufen.",
  calls: [
    { id: "toolu_1", name: "look", input: { place: "Köln", count: 2 } },
    { id: "toolu_2", name: "look", input: {} },
  ],
  usage: [12, 34] as [number, number],
};

test("reads the same message from a whole and a streamed answer", async () => {
  server.script((request, reply) => utter(request, reply, uttered));
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  expect(streamed).toMatchObject({ content: whole.content, stop_reason: "tool_use", usage: whole.usage });
  expect(whole.content).toMatchObject([
    { type: "text", text: uttered.text },
    { type: "tool_use", ...uttered.calls[0] },
    { type: "tool_use", ...uttered.calls[1] },
  ]);
  expect(whole.usage).toMatchObject({ input_tokens: 12, output_tokens: 34 });
});

test("maps refusals to its errors", async () => {
  const failureOf = (work: PromiseLike<unknown>) => Promise.resolve(work).catch((error: unknown) => error);
  expect(await failureOf(client.messages.create({ ...request, messages: [] }))).toBeInstanceOf(
    BadRequestError,
  );
  const stranger = new Anthropic({
    apiKey: "another",
    authToken: null,
    baseURL: client.baseURL,
    maxRetries: 0,
  });
  expect(await failureOf(stranger.messages.create(request))).toBeInstanceOf(AuthenticationError);
});
