// MCP over standard input and output: one message per line, and nothing else on standard output.
import type { Json } from "../src/base";
import type { Io } from "./io";

/** Handles a message, which is also passed as text. `write` sends a line. `ended` aborts with the input. Never rejects. */
export type Handler = (
  value: Json,
  write: (text: string) => void,
  line: string,
  ended: AbortSignal,
) => Promise<void>;

/** Runs until standard input ends and all requests are answered. Subscriptions end with the input. */
export async function serveLines(io: Io, handle: Handler): Promise<void> {
  const { errorReply, PARSE_ERROR, RpcError } = await import("../src/mcp");
  const { parseJson } = await import("../src/base");
  const write = (text: string): void => io.out(`${text}\n`);
  const running = new Set<Promise<void>>();
  const ended = new AbortController();
  for await (const line of io.stdinLines()) {
    if (line.trim() === "") continue;
    let value: Json;
    try {
      value = parseJson(line);
    } catch {
      write(errorReply(undefined, new RpcError(PARSE_ERROR, "The line is not valid JSON.")).text ?? "");
      continue;
    }
    const work = handle(value, write, line, ended.signal).finally(() => running.delete(work));
    running.add(work);
  }
  ended.abort();
  await Promise.all(running);
}
