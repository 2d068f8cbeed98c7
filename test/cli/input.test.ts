// Input from shells and editors of all systems.
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

describe("removes exactly one line end from a piped secret [fault: secret-line-end]", () => {
  test.each([
    ["value\n", "value"],
    ["value\r\n", "value"],
    ["value\n\n", "value\n"],
    ["value\r\n\r\n", "value\r\n"],
    ["value", "value"],
    ["a\nb\n", "a\nb"],
    ["\n", ""],
    ["value ", "value "],
  ])("%j", (text, value) => {
    expect(withoutLineEnd(text)).toBe(value);
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
    ["little-endian", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ["big-endian", bytes([0xfe, 0xff, 0, 0x7b, 0, 0x7d])],
    ["without a byte order mark", bytes([0x7b, 0, 0x7d, 0])],
  ])("rejects UTF-16 by name: %s", async (_what, stdin) => {
    await expect(read(stdin)).rejects.toThrow("--input is UTF-16 text. Write it as UTF-8");
  });

  test.each([
    ["broken JSON", bytes('{"a":SECRET'), "--input is not valid JSON."],
    ["empty input", bytes(), "--input is not valid JSON."],
    ["another encoding", bytes('{"a":"', [0xfc], '"}'), "--input is not UTF-8 text."],
    ["a NUL character", bytes('{"a":"\\u0000"}'), "--input contains the NUL character."],
  ])("rejects %s", async (_what, stdin, message) => {
    await expect(read(stdin)).rejects.toThrow(message);
  });
});

describe("a file", () => {
  test("is read whole", async () => {
    const file = join(temporaryFolder(), "text");
    writeFileSync(file, "line\n");

    expect(await readText(fakeIo(), file, "--file")).toBe("line\n");
  });

  test("names a missing file and does not read standard input", async () => {
    const io = fakeIo({ stdin: "other" });

    await expect(readText(io, "missing.json", "--file")).rejects.toThrow(
      "--file: missing.json: the file does not exist.",
    );
    expect(io.reads).toBe(0);
  });
});
