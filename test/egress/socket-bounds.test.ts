// What a server may send around and within a streamed body before it costs more than its bytes.
import { describe, expect, test } from "bun:test";
import { framingOf } from "../../src/egress/socket/framing";
import { HeadReader, MalformedResponse, type ResponseHead } from "../../src/egress/socket/head";

const CHUNKED: ResponseHead = {
  status: 200,
  statusText: "OK",
  headers: new Headers({ "transfer-encoding": "chunked" }),
  isOld: false,
};
const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const headAfter = (before: string) =>
  new HeadReader().add(bytes(`${before}HTTP/1.1 200 OK\r\n\r\n`))?.head.status;

describe("a chunked body", () => {
  test("comes in one piece for each piece of the connection, however small its chunks", () => {
    const pieces = framingOf(CHUNKED).add(bytes("1\r\na\r\n".repeat(1000)));

    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([1000]);
    expect(Buffer.from(pieces[0] ?? []).toString()).toBe("a".repeat(1000));
  });

  test("has trailers of a bounded size", () => {
    const ending = (lines: number) => {
      const framing = framingOf(CHUNKED);
      framing.add(bytes("0\r\n"));
      for (let line = 0; line < lines; line++) framing.add(bytes(`x-${line}: ${"y".repeat(100)}\r\n`));
      framing.add(bytes("\r\n"));
      return framing.isComplete;
    };

    expect(ending(100)).toBe(true);
    expect(() => ending(1000)).toThrow(MalformedResponse);
  });
});

describe("a head", () => {
  test("may come after some informational ones, not after any number", () => {
    expect(headAfter("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50))).toBe(200);
    expect(() => headAfter("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(51))).toThrow(MalformedResponse);
  });

  test("has a bounded number of fields", () => {
    const withFields = (count: number) =>
      new HeadReader().add(bytes(`HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(count)}\r\n`))?.head.status;

    expect(withFields(500)).toBe(200);
    expect(() => withFields(501)).toThrow(MalformedResponse);
  });
});
