// Texts as shells and editors of all systems write them.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, readText, withoutLineEnd } from "../../cli/input";
import { temporaryFolder } from "../support/temporary";
import { fakeIo } from "./support/fake-io";

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)),
  );

describe("a piped secret loses exactly one line end [fault: secret-line-end]", () => {
  test.each([
    ["value\n", "value"],
    ["value\r\n", "value"],
    ["value\n\n", "value\n"],
    ["value\r\n\r\n", "value\r\n"],
    ["value", "value"],
    ["a\nb\n", "a\nb"],
    ["\n", ""],
    ["value ", "value "],
  ])("%j", (text, kept) => {
    expect(withoutLineEnd(text)).toBe(kept);
  });
});

describe("JSON on standard input", () => {
  const read = (stdin: Uint8Array) => readJson(fakeIo({ stdin }), "-", "--input");

  test("may begin with a byte order mark and end with CRLF", async () => {
    expect(await read(bytes([0xef, 0xbb, 0xbf], '{"a":1}\r\n'))).toEqual({ a: 1 });
  });

  test("keeps the digits of long ids", async () => {
    expect(await read(bytes('{"id":1234567890123456789}'))).toEqual({ id: "1234567890123456789" });
  });

  test("may be large", async () => {
    const text = "x".repeat(20_000_000);

    expect(await read(new TextEncoder().encode(JSON.stringify({ text })))).toEqual({ text });
  });

  test.each([
    ["little end first", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ["big end first", bytes([0xfe, 0xff, 0, 0x7b, 0, 0x7d])],
    ["without a mark", bytes([0x7b, 0, 0x7d, 0])],
  ])("in UTF-16 is refused by name: %s", async (_what, stdin) => {
    await expect(read(stdin)).rejects.toThrow("--input is UTF-16 text. Write it as UTF-8");
  });

  test.each([
    ["broken", bytes('{"a":SECRET'), "--input is not valid JSON."],
    ["empty", bytes(), "--input is not valid JSON."],
    ["of another encoding", bytes('{"a":"', [0xfc], '"}'), "--input is not UTF-8 text."],
    ["with NUL", bytes('{"a":"\\u0000"}'), "--input contains the NUL character."],
  ])("that is %s is refused", async (_what, stdin, message) => {
    await expect(read(stdin)).rejects.toThrow(message);
  });
});

describe("a file", () => {
  test("is read whole", async () => {
    const file = join(temporaryFolder(), "text");
    writeFileSync(file, "line\n");

    expect(await readText(fakeIo(), file, "--file")).toBe("line\n");
  });

  test("that is missing is an error that names it, and standard input stays unread", async () => {
    const io = fakeIo({ stdin: "other" });

    await expect(readText(io, "missing.json", "--file")).rejects.toThrow(
      "--file: missing.json: the file does not exist.",
    );
    expect(io.reads).toBe(0);
  });
});
