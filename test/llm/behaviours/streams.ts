// Bytes of streams, cut and written as servers and proxies do.
import { chunk, DONE, frame, startStream, type Turn } from "../../sandbox/models/chat-server";
import type { Reply } from "../../sandbox/models/http";
import type { Behaviour } from "./behaviour";

const CALLS = [
  frame(chunk({ role: "assistant", content: "" })),
  frame(chunk({ content: "Häh? 😀" })),
  frame(
    chunk({
      tool_calls: [{ index: 0, id: "x", type: "function", function: { name: "Test_Look", arguments: "" } }],
    }),
  ),
  frame(chunk({ tool_calls: [{ index: 0, function: { arguments: '{"text":"ä😀' } }] })),
  frame(chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] })),
  frame(chunk({}, "tool_calls")),
  DONE,
];
const TEXT = [frame(chunk({ content: "Grüße 😀" })), frame(chunk({ content: "!" }, "stop")), DONE];

/** Both turns written so. */
function written(write: (reply: Reply, text: string) => void | Promise<void>): Turn[] {
  return [CALLS, TEXT].map((frames) => async (_request, reply) => {
    startStream(reply);
    await write(reply, frames.join(""));
    reply.end();
  });
}

const once = (change: (text: string) => string): Turn[] =>
  written((reply, text) => reply.write(change(text)));

async function inPieces(reply: Reply, text: string, size: number): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength; at += size) {
    reply.write(bytes.subarray(at, at + size));
    // A write of its own each, and not a second of waiting for all.
    if (at % (size * 50) === 0) await Bun.sleep(0);
  }
}

const row = (name: string, turns: Turn[], ...faults: string[]): Behaviour => ({
  name,
  ...(faults.length === 0 ? {} : { faults }),
  only: "stream",
  turns,
  runs: [{ text: "ä😀" }],
  ids: ["x"],
  content: "Häh? 😀\n\nGrüße 😀!",
  finish: "stop",
});

export const streamRows: readonly Behaviour[] = [
  row(
    "in one piece",
    once((text) => text),
  ),
  row(
    "byte by byte",
    written((reply, text) => inPieces(reply, text, 1)),
    "split-frames",
  ),
  ...[2, 3, 5, 7, 13].map((size) =>
    row(
      `in pieces of ${size}`,
      written((reply, text) => inPieces(reply, text, size)),
    ),
  ),
  row(
    "with CRLF",
    once((text) => text.replaceAll("\n", "\r\n")),
    "split-frames",
  ),
  row(
    "with CRLF, byte by byte",
    written((reply, text) => inPieces(reply, text.replaceAll("\n", "\r\n"), 1)),
    "split-frames",
  ),
  row(
    "with CR alone",
    once((text) => text.replaceAll("\n", "\r")),
  ),
  row(
    "without a space after data:",
    once((text) => text.replaceAll("data: ", "data:")),
    "split-frames",
  ),
  row(
    "with comments between",
    once((text) => text.replaceAll("data:", ": ping\n\n: x\ndata:")),
    "split-frames",
  ),
  row(
    "with a last frame that no blank line ends",
    once((text) => text.trimEnd()),
    "split-frames",
  ),
  row(
    "with names of events and ids",
    once((text) => text.replaceAll("data:", "event: message\nid: 7\ndata:")),
  ),
  row(
    "with data on several lines",
    once((text) => text.replaceAll('{"id"', '{\ndata: "id"')),
  ),
  row(
    "with a byte order mark",
    once((text) => `\uFEFF${text}`),
  ),
  row(
    "without [DONE]",
    once((text) => text.replace(DONE, "")),
  ),
  row(
    "with frames after [DONE]",
    once((text) => `${text}${frame(chunk({ content: "never" }))}`),
  ),
  row(
    "with the role in every frame",
    once((text) => text.replaceAll('"delta":{"', '"delta":{"role":"assistant","')),
  ),
  row(
    "with null where nothing is said",
    once((text) =>
      text.replaceAll('"delta":{"tool_calls"', '"delta":{"content":null,"refusal":null,"tool_calls"'),
    ),
  ),
  row(
    "with frames without choices",
    once((text) => text.replaceAll("data: {", 'data: {"choices":[],"prompt_filter_results":[]}\n\ndata: {')),
  ),
  row(
    "with other choices than the first",
    once((text) =>
      text.replaceAll("data: {", `${frame({ choices: [{ index: 1, delta: { content: "other" } }] })}data: {`),
    ),
  ),
];
