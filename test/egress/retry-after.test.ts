// The header Retry-After.
import { describe, expect, test } from "bun:test";
import { retryAfterIn } from "../../src/egress";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const DAY = 86_400_000;

describe("Retry-After", () => {
  test.each<[string, number | undefined]>([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["999999999999999", DAY],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
    ["Monday, 30-Nov-26 12:00:30 GMT", 30_000],
    ["Mon Nov 30 12:00:30 2026", 30_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", DAY],
    ["", undefined],
    ["1.5", undefined],
    ["-5", undefined],
    ["+5", undefined],
    ["5, 10", undefined],
    ["5s", undefined],
    ["2026-11-30T12:00:30Z", undefined],
    ["Mon, 99 Nov 2026 99:99:99 GMT", undefined],
    ["soon", undefined],
  ])("%p", (text, expected) => {
    expect(retryAfterIn(new Headers(text === "" ? {} : { "retry-after": text }), NOW)).toBe(
      expected as never,
    );
  });
});
