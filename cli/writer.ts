// Complete writes to a file descriptor. `console.log` and streams may lose queued text when the process exits, and a pipe
// may accept only part of a text, or nothing for the moment.
import { writeSync } from "node:fs";

/** `closed`: the reader has gone, which is not an error. */
export type Written = "all" | "closed";

export type WriteSome = (fd: number, bytes: Uint8Array, offset: number) => number;

const GONE = ["EPIPE", "EIO", "EBADF"];

/** Writes the whole text. Throws the system error if that fails (for example a full disk). */
export function writeAll(fd: number, text: string, writeSome: WriteSome = writeSync): Written {
  const bytes = new TextEncoder().encode(text);
  let pause = 1;
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSome(fd, bytes, offset);
      pause = 1;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (GONE.includes(code)) return "closed";
      if (code !== "EAGAIN") throw error;
      // The pipe is full and does not block: wait for the reader.
      Bun.sleepSync(pause);
      pause = Math.min(pause * 2, 50);
    }
  }
  return "all";
}
