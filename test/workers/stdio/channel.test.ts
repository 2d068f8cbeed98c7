// Messages of programs that say nothing of the request that they are about.
import { expect, test } from "bun:test";
import { Channel } from "../../../src/workers/stdio/channel";
import type { ProcessEnd } from "../../../src/workers/stdio/programs";

const QUESTION = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { message: "Which?" } };
const LOG = { jsonrpc: "2.0", method: "notifications/message", params: { data: "for one" } };

function stage(shared: boolean) {
  const written: string[] = [];
  let changes = 0;
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const writer = output.writable.getWriter();
  const ended = Promise.withResolvers<ProcessEnd>();
  const program = {
    id: "1",
    pid: 1,
    output: output.readable,
    ended: ended.promise,
    lastErrors: () => [],
    write: async (line: string) => void written.push(line),
    end: async () => ended.resolve({ code: 0, signal: null }),
  };
  const channel = new Channel(program, { shared, changed: () => changes++ });
  const say = (...messages: object[]): Promise<void> =>
    writer.write(
      new TextEncoder().encode(messages.map((message) => `${JSON.stringify(message)}\n`).join("")),
    );
  return { channel, say, written, changes: () => changes, end: () => writer.close() };
}

/** All that a request gets, up to its reply. */
const textOf = (messages: ReadableStream<Uint8Array>): Promise<string> => new Response(messages).text();

const reply = (id: number) => ({ jsonrpc: "2.0", id, result: {} });

test.each([
  ["of all users", true, [false, false]],
  ["of one user", false, [false, true]],
])(
  "a program %s: of two calls, questions and messages reach the right ones",
  async (_what, shared, reached) => {
    const { channel, say, written } = stage(shared);
    const first = textOf(channel.request(1, "tools/call", "{}").messages);
    const second = textOf(channel.request(2, "tools/call", "{}").messages);
    await say(QUESTION, LOG, reply(1), reply(2));
    const texts = [await first, await second];

    expect(texts.map((text) => text.includes("Which?"))).toEqual(reached);
    expect(texts.map((text) => text.includes("for one"))).toEqual(reached);
    expect(written.some((line) => line.includes("Method not found"))).toBe(shared);
  },
);

test("the only call of a shared program is asked", async () => {
  const { channel, say } = stage(true);
  const only = textOf(channel.request(1, "tools/call", "{}").messages);
  await say(QUESTION, LOG, reply(1));

  expect(await only).toContain("Which?");
});

test("progress and replies reach the request that they name, and unknown ones none", async () => {
  const { channel, say, changes } = stage(true);
  const texts = [1, 2].map((id) => textOf(channel.request(id, "tools/call", "{}").messages));
  const progress = {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: 2, progress: 1 },
  };
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  await say(
    progress,
    { ...progress, params: { progressToken: 9, progress: 1 } },
    reply(7),
    changed,
    reply(2),
    reply(1),
  );
  const [first = "", second = ""] = await Promise.all(texts);

  expect([first.includes("progress"), second.split("progressToken").length]).toEqual([false, 2]);
  expect(changes()).toBe(1);
});

test("text that is not a message is passed over", async () => {
  const { channel, say } = stage(false);
  const only = textOf(channel.request(1, "tools/call", "{}").messages);
  await say("Server, ready" as never, [reply(1)] as never);

  expect(await only).toContain('"result"');
});
