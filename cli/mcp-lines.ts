// MCP over standard input and output: one message a line, replies as they come, nothing else on standard output.
import type { Json } from "../src/base";
import type { Io } from "./io";

/** Answers a message, which is also given as it came; what it writes goes out as a line. Never rejects. */
export type Answerer = (value: Json, write: (text: string) => void, line: string) => Promise<void>;

/** Until standard input ends and all that was asked is answered. */
export async function serveLines(io: Io, answer: Answerer): Promise<void> {
  const { errorReply, PARSE_ERROR, RpcError } = await import("../src/mcp");
  const { parseJson } = await import("../src/base");
  const write = (text: string): void => io.out(`${text}\n`);
  const running = new Set<Promise<void>>();
  for await (const line of io.stdinLines()) {
    if (line.trim() === "") continue;
    let value: Json;
    try {
      value = parseJson(line);
    } catch {
      write(errorReply(undefined, new RpcError(PARSE_ERROR, "The line is not valid JSON.")).text ?? "");
      continue;
    }
    const work = answer(value, write, line).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}
