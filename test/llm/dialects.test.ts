// The dialects of servers, each whole and streamed: passed through, in a loop of three rounds, and at the terminal.
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

/** The usage of three equal turns. */
function tripled(usage: unknown): unknown {
  if (typeof usage === "number") return usage * 3;
  if (typeof usage !== "object" || usage === null) return usage;
  return Object.fromEntries(Object.entries(usage).map(([field, value]) => [field, tripled(value)]));
}
