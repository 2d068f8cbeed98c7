// Streams that are passed through: errors inside of them, and ends that are none.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chunk, DONE, frame, startStream } from "../sandbox/models/chat-server";
import { at } from "../support/api";
import { asking, type ChatSite, startChatSite, UPSTREAM_KEY } from "../support/chat-site";

let chat: ChatSite;
beforeAll(async () => {
  chat = await startChatSite({ strict: false, environment: { RUNTIME_LLM_TIMEOUT: "2" } });
});
afterAll(() => chat[Symbol.asyncDispose]());

async function answer(...texts: string[]) {
  chat.upstream.script((_request, reply) => {
    startStream(reply);
    for (const text of texts) reply.write(text);
    reply.end();
  });
  const response = await chat.send(asking({ stream: true }));
  const text = await response.text();
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  return { status: response.status, text, last };
}

const HALF = frame(chunk({ content: "half" }));

describe("an error inside of a stream", () => {
  const rows: [name: string, text: string, status: number, message: string][] = [
    ["a record", 'data: {"error":{"message":"slow down","type":"rate_limit_error"}}\n\n', 429, "slow down"],
    ["an object", 'data: {"object":"error","message":"too long","code":400}\n\n', 400, "too long"],
    ["an event", "event: error\ndata: crashed\n\n", 500, "crashed"],
    ["a text", 'data: {"error":"crashed"}\n\n', 500, "crashed"],
    ["a field", 'error: {"code":500,"message":"crashed"}\n\n', 500, "crashed"],
    ["no JSON", "data: {oops\n\n", 500, "not JSON"],
    ["a page", "<html>502</html>\n\n", 500, "not JSON"],
    ["a reason", frame(chunk({}, "error")), 500, "finish reason"],
  ];
  test.each(rows)("%s is an error by status if it is the first", async (_name, text, status, message) => {
    const seen = await answer(": note\n\n", text, DONE);
    expect([seen.status, seen.text]).toEqual([status, expect.stringContaining(message)]);
    expect(at(JSON.parse(seen.text), "error.message")).toBe(at(JSON.parse(seen.text), "message"));
  });

  test.each(rows)("%s later is the last event", async (_name, text, _status, message) => {
    const seen = await answer(HALF, text, DONE);
    expect([seen.status, seen.text.startsWith(HALF), seen.text.includes("[DONE]")]).toEqual([
      200,
      true,
      false,
    ]);
    expect(at(JSON.parse(seen.last.replace(/^data: /, "")), "error.message")).toContain(message);
  });

  test("does not show the key of the server", async () => {
    const seen = await answer(HALF, frame({ error: { message: `bad key ${UPSTREAM_KEY}` } }));
    expect(seen.last).toContain("bad key [redacted]");
    expect(seen.text).not.toContain(UPSTREAM_KEY);
  });
});

describe("before the first event", () => {
  const all = frame(chunk({ content: "all" }, "stop")) + DONE;

  test.each([
    ["comments", `: ${"x".repeat(1020)}\n\n`],
    ["pings", `event: ping\ndata: ${"x".repeat(1004)}\n\n`],
  ])("%s are passed on up to 64 KiB, and the events follow", async (_what, piece) => {
    const few = await answer(piece.repeat(30), all);
    const many = await answer(...Array.from({ length: 40 }, () => piece.repeat(16)), all);
    const passed = many.text.slice(0, -all.length);

    expect(few.text).toBe(piece.repeat(30) + all);
    expect([many.status, many.text.endsWith(all)]).toEqual([200, true]);
    expect(passed).toBe(piece.repeat(Math.floor((64 * 1024) / piece.length)));
  });
});

describe("the end of a stream", () => {
  test.each([
    ["empty reasons", frame(chunk({ content: "half" }, ""))],
    ["a choice without a reason", frame(chunk({ content: "a" }, "stop")) + second("b", null)],
    ["half of an event", `${HALF}data: {"choices":[{"del`],
  ])("is none after %s", async (_name, text) => {
    const seen = await answer(text);
    expect([seen.status, seen.text.includes("[DONE]")]).toEqual([200, false]);
    expect(at(JSON.parse(seen.last.replace(/^data: /, "")), "error.type")).toBe("internal_error");
  });

  test.each([
    ["a reason", frame(chunk({ content: "all" }, "stop"))],
    ["reasons of all choices", frame(chunk({ content: "a" }, "stop")) + second("b", "stop")],
    ["[DONE] after content", HALF + DONE],
    ["comments and pings", `: a\n\n${HALF}event: ping\ndata: x\n\n${frame(chunk({}, "stop"))}${DONE}`],
  ])("is one after %s", async (_name, text) => {
    const seen = await answer(text);
    expect([seen.status, seen.text]).toEqual([200, text]);
  });

  test("is an error by status after [DONE] alone", async () => {
    expect((await answer(DONE)).status).toBe(500);
  });

  test("is an error if only comments come", async () => {
    chat.upstream.script(async (_request, reply, _turn, exchange) => {
      startStream(reply);
      const gone = exchange.closed.then(() => true);
      while (!(await Promise.race([gone, Bun.sleep(200).then(() => false)]))) reply.write(": waiting\n\n");
    });
    const response = await chat.send(asking({ stream: true }));
    expect([response.status, await response.text()]).toEqual([
      504,
      expect.stringContaining("sent no event within 2 s"),
    ]);
  });
});

function second(content: string, finish: string | null): string {
  return frame({ choices: [{ index: 1, delta: { content }, finish_reason: finish }] });
}
