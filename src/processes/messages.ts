// The lines between the server and its supervisor: JSON, one a line.
import type { ProcessEnd } from "./spec";

export type Order =
  /** The descriptors of the start were sent before, under the same id. */
  { order: "start"; id: string; memoryBytes: number; processes: number } | { order: "end"; id: string };

export type Notice =
  | { notice: "ready" }
  | { notice: "started"; id: string; pid: number }
  | { notice: "ended"; id: string; end: ProcessEnd }
  /** Background processes that had left the program that started them, and were killed. */
  | { notice: "orphans"; count: number };

/** Calls `take` for each line. Resolves at the end of the stream. */
export async function eachLine(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  }
}
