import { expect, test } from "bun:test";
import { writeAll } from "../../cli/writer";

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test("writes the whole text when the pipe accepts it in parts", () => {
  const taken: number[] = [];
  const text = "ä".repeat(50);

  const result = writeAll(1, text, (_fd, bytes, offset) => {
    taken.push(...bytes.slice(offset, offset + 7));
    return Math.min(7, bytes.length - offset);
  });

  expect(result).toBe("all");
  expect(new TextDecoder().decode(new Uint8Array(taken))).toBe(text);
});

test("waits for a full pipe", () => {
  let calls = 0;

  const result = writeAll(1, "abc", (_fd, bytes) => {
    if (++calls < 4) throw failure("EAGAIN");
    return bytes.length;
  });

  expect(result).toBe("all");
  expect(calls).toBe(4);
});

test.each(["EPIPE", "EIO", "EBADF"])("ignores a closed reader: %s", (code) => {
  const result = writeAll(1, "abc", () => {
    throw failure(code);
  });

  expect(result).toBe("closed");
});

test("throws on a full disk", () => {
  expect(() =>
    writeAll(1, "abc", () => {
      throw failure("ENOSPC");
    }),
  ).toThrow("ENOSPC");
});
