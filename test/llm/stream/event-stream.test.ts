// The body of a streamed answer: alive while nothing comes, an error event at the end of what failed, and no word to who
// has hung up.
import { expect, test } from "bun:test";
import { createLog, systemClock } from "../../../src/base";
import { rateLimited } from "../../../src/errors";
import { noTelemetry } from "../../../src/telemetry";
import { eventStream } from "../../../src/llm/stream/event-stream";

function logged() {
  const lines: string[] = [];
  const log = createLog({ level: "debug", clock: systemClock, write: (line) => lines.push(line) });
  return { lines, log, telemetry: noTelemetry };
}

const read = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();
const nothing = { gone: () => undefined };

test("a silent stream sends keep-alive comments", async () => {
  const next = Promise.withResolvers<void>();
  const texts = (async function* () {
    yield "a";
    await next.promise;
    yield "b";
  })();
  let text = "";
  for await (const bytes of await eventStream(logged(), texts, nothing, 10)) {
    text += new TextDecoder().decode(bytes);
    if (text.startsWith("a: alive\n\n: alive\n\n")) next.resolve();
  }
  expect(text).toMatch(/^a(: alive\n\n){2,}b$/);
});

test("a failure before the first event is an ordinary error", async () => {
  const texts = (async function* () {
    if (Date.now() > 0) throw rateLimited("Later.");
    yield "";
  })();
  expect(await eventStream(logged(), texts, nothing).catch((error: unknown) => error)).toMatchObject({
    status: 429,
  });
});

test("a later failure is the last event, and in the log", async () => {
  const means = logged();
  const texts = (async function* () {
    yield "a";
    throw rateLimited("Later.");
  })();
  const text = await read(await eventStream(means, texts, nothing));
  expect(text).toBe('adata: {"error":{"message":"Later.","type":"rate_limited","code":"rate_limited"}}\n\n');
  expect(means.lines.length).toBe(1);
});

test("a disconnect is reported, and failures because of it are not logged", async () => {
  const means = logged();
  const hungUp = Promise.withResolvers<void>();
  const texts = (async function* () {
    yield "a";
    await hungUp.promise;
    throw new Error("nobody listens");
  })();
  const reader = (await eventStream(means, texts, { gone: hungUp.resolve })).getReader();
  await reader.read();
  const waiting = reader.read();
  await reader.cancel();
  await waiting;
  await Bun.sleep(5);
  expect(means.lines).toEqual([]);
});
