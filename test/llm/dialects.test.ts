// The dialects of servers, each whole and streamed: passed through, in a loop of three rounds, at the terminal, and as
// responses.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { main } from "../../cli/program";
import { withParts } from "../../src/llm/content-parts";
import { startStream, type Turn } from "../sandbox/models/chat-server";
import { type Dialect, ROUNDS } from "../sandbox/models/dialects";
import { ALL, missing, streamOf, wholeOf } from "../sandbox/models/hosted-dialects";
import { at } from "../support/api";
import { temporaryFolder } from "../support/temporary";
import { fakeIo } from "../cli/support/fake-io";
import { ask, type Stage, startStage } from "./behaviours/stage";
import { askResponses, respond } from "./responses/ask";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => stage.reset());

const REQUEST = {
  model: "test-model",
  messages: [{ role: "user", content: "Look." }],
  user: "alice",
  tools: ["Test.Look"],
};
const LOOP = { ...REQUEST, tool_choice: "generate", stream_options: { include_usage: true } };
const RUNS = [{ text: "a" }, { text: "b" }];
const INPUT = [{ role: "user", content: "Look." }];
const RESPONSES = { model: "test-model", input: INPUT, user: "alice" };
const LOOK = { type: "function", name: "Test_Look", parameters: { type: "object", properties: {} } };
const FORMS = [
  ["whole", false],
  ["stream", true],
] as const;

/** A server that speaks the dialect, and refuses messages that miss what it said. */
function speaking(dialect: Dialect): Turn {
  return (request, reply) => {
    const fault = missing(dialect, request.messages);
    if (fault !== undefined) return reply.json(400, { error: { message: fault } });
    const said = ROUNDS[request.messages.filter(({ role }) => role === "tool").length];
    if (said === undefined) return reply.json(400, { error: { message: "too many rounds" } });
    if (request.stream !== true) return reply.json(200, wholeOf(dialect, said));
    startStream(reply);
    reply.write(streamOf(dialect, said));
    reply.end();
  };
}

describe.each(ALL.map((dialect) => [dialect.name, dialect] as const))("%s", (_name, dialect) => {
  beforeEach(() => stage.chat.upstream.script(speaking(dialect)));

  test.each(FORMS)("a loop of three rounds (%s)", async (_form, stream) => {
    const { stream_options: _, ...whole } = LOOP;
    const seen = await ask(stage.chat, stream ? LOOP : whole, stream);
    expect([seen.error, seen.content, seen.finish]).toEqual([undefined, "Done: ä😀.", "stop"]);
    expect(stage.runs).toEqual(RUNS);
    expect(missing(dialect, withParts(seen.messages))).toBeUndefined();
    expect(seen.usage).toEqual(tripled(dialect.usage));
  });

  test.each(FORMS)("is passed through byte for byte (%s)", async (_form, stream) => {
    for (const round of ROUNDS) {
      const sent = stream ? streamOf(dialect, round) : JSON.stringify(wholeOf(dialect, round));
      stage.chat.upstream.script((_request, reply) => {
        if (!stream) return reply.send(200, { "content-type": "application/json" }, sent);
        startStream(reply);
        reply.write(sent);
        reply.end();
      });
      const answer = await stage.chat.send({ ...REQUEST, stream });
      expect([answer.status, await answer.text()]).toEqual([200, sent]);
    }
  });

  test.each(FORMS)("responses: a loop of three rounds (%s)", async (_form, stream) => {
    const seen = await respond(
      stage.chat,
      { ...RESPONSES, tools: ["Test.Look"], tool_choice: "generate" },
      stream,
    );
    expect([seen.error, seen.text, seen.status]).toEqual([undefined, "Done: ä😀.", "completed"]);
    expect(stage.runs).toEqual(RUNS);
    expect(seen.output.filter(({ type }) => type === "mcp_call").map((item) => item["status"])).toEqual([
      "completed",
      "completed",
    ]);
    expect(seen.usage).toMatchObject(tripled(inResponses(dialect.usage)) as object);
    // The next request contains the output.
    const next = { ...RESPONSES, input: [...INPUT, ...seen.output, { role: "user", content: "Sure?" }] };
    await askResponses(stage.chat, next);
    expect(missing(dialect, withParts(stage.chat.upstream.requests.at(-1)?.messages ?? []))).toBeUndefined();
    expect(stage.chat.upstream.refusals).toEqual([]);
  });

  test.each(FORMS)("responses: three rounds whose calls the caller runs (%s)", async (_form, stream) => {
    const input: unknown[] = [...INPUT];
    for (const { call, text } of ROUNDS) {
      const seen = await respond(stage.chat, { ...RESPONSES, input, tools: [LOOK] }, stream);
      const calls = seen.output.filter(({ type }) => type === "function_call");
      expect([seen.error, seen.text, calls.map((one) => one["arguments"])]).toEqual([
        undefined,
        text,
        call === undefined ? [] : [call],
      ]);
      expect(seen.usage).toMatchObject(inResponses(dialect.usage));
      const outputs = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "seen" }));
      input.push(...seen.output, ...outputs);
    }
    expect(stage.runs).toEqual([]);
    expect(stage.chat.upstream.refusals).toEqual([]);
  });

  test("at the terminal", async () => {
    const io = fakeIo({
      env: {
        HOME: temporaryFolder(),
        RUNTIME_SERVER: stage.chat.site.url,
        RUNTIME_API_KEY: await stage.chat.site.key("run"),
      },
    });
    const code = await main(["chat", "Look.", "--tool", "Test.Look", "--user", "alice", "-o", "json"], io);
    expect([code, at(JSON.parse(io.stdout), "content")]).toEqual([0, expect.anything()]);
    expect(stage.runs).toEqual(RUNS);
    expect(missing(dialect, withParts(messagesOf(JSON.parse(io.stdout))))).toBeUndefined();
    expect(io.stdout).toContain("Done: ä😀.");
  });
});

function messagesOf(printed: unknown): Record<string, unknown>[] {
  const messages = at(printed, "messages");
  return Array.isArray(messages) ? messages : [];
}

/** The usage of a turn as responses count it. */
function inResponses(usage: unknown): object {
  return {
    input_tokens: at(usage, "prompt_tokens"),
    input_tokens_details: { cached_tokens: at(usage, "prompt_tokens_details.cached_tokens") ?? 0 },
    output_tokens: at(usage, "completion_tokens"),
    output_tokens_details: {
      reasoning_tokens:
        at(usage, "completion_tokens_details.reasoning_tokens") ?? at(usage, "reasoning_tokens") ?? 0,
    },
    total_tokens: at(usage, "total_tokens"),
  };
}

/** The usage of three equal turns. */
function tripled(usage: unknown): unknown {
  if (typeof usage === "number") return usage * 3;
  if (typeof usage !== "object" || usage === null) return usage;
  return Object.fromEntries(Object.entries(usage).map(([field, value]) => [field, tripled(value)]));
}
