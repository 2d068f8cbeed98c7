import { expect, test } from "bun:test";
import { writeAll } from "../../cli/writer";

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test("a text that the pipe takes in parts arrives whole", () => {
  const taken: number[] = [];
  const text = "ä".repeat(50);

  const result = writeAll(1, text, (_fd, bytes, offset) => {
    taken.push(...bytes.slice(offset, offset + 7));
    return Math.min(7, bytes.length - offset);
  });

  expect(result).toBe("all");
  expect(new TextDecoder().decode(new Uint8Array(taken))).toBe(text);
});

test("a pipe that is full for the moment is waited for", () => {
  let calls = 0;

  const result = writeAll(1, "abc", (_fd, bytes) => {
    if (++calls < 4) throw failure("EAGAIN");
    return bytes.length;
  });

  expect(result).toBe("all");
  expect(calls).toBe(4);
});

test.each(["EPIPE", "EIO", "EBADF"])("a reader that has gone is no error: %s", (code) => {
  const result = writeAll(1, "abc", () => {
    throw failure(code);
  });

  expect(result).toBe("closed");
});

test("a full disk is an error", () => {
  expect(() =>
    writeAll(1, "abc", () => {
      throw failure("ENOSPC");
    }),
  ).toThrow("ENOSPC");
});
