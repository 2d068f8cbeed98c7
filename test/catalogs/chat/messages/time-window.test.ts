// Time filters: what they mean in seconds, whatever the server's time zone, and what is refused.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type TimeFilters, windowOf } from "../../../../catalogs/chat/messages/time-window";
import { ToolError } from "../../../../src/tools";

const NOW = Date.parse("2026-03-08T12:00:00Z");
const NOW_SECONDS = 1_772_971_200;
const ago = (days: number, hours: number, minutes: number): string =>
  String(NOW_SECONDS - days * 86_400 - hours * 3600 - minutes * 60);

function errorOf(filters: TimeFilters): ToolError {
  try {
    windowOf(filters, NOW);
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("It should have been refused.");
}

describe("the window", () => {
  test.each<[string, TimeFilters, ReturnType<typeof windowOf>]>([
    ["no filter", {}, {}],
    ["blank filters", { oldest_relative: "", latest_datetime: " " }, {}],
    [
      "oldest_relative alone, up to now",
      { oldest_relative: "01:02:03" },
      { oldest: ago(1, 2, 3), latest: ago(0, 0, 0), inclusive: true },
    ],
    [
      "oldest_datetime alone, up to now",
      { oldest_datetime: "2026-03-08 02:30:00" },
      { oldest: "1772937000", latest: String(NOW_SECONDS), inclusive: true },
    ],
    [
      "latest_datetime alone, from the beginning",
      { latest_datetime: "2026-03-08 02:30:00" },
      { latest: "1772937000", inclusive: true },
    ],
    [
      "latest_relative alone, from then up to now",
      { latest_relative: "00:01:00" },
      { oldest: ago(0, 1, 0), latest: ago(0, 0, 0), inclusive: true },
    ],
    [
      "both relative",
      { oldest_relative: "02:00:00", latest_relative: "00:01:00" },
      { oldest: ago(2, 0, 0), latest: ago(0, 1, 0), inclusive: true },
    ],
    [
      "both absolute",
      { oldest_datetime: "2026-03-01 00:00:00", latest_datetime: "2026-03-02 00:00:00" },
      { oldest: "1772323200", latest: "1772409600", inclusive: true },
    ],
    [
      "oldest relative, latest absolute",
      { oldest_relative: "07:00:00", latest_datetime: "2026-03-02 00:00:00" },
      { oldest: ago(7, 0, 0), latest: "1772409600", inclusive: true },
    ],
    [
      "oldest absolute, latest relative",
      { oldest_datetime: "2026-03-01 00:00:00", latest_relative: "0:0:5" },
      { oldest: "1772323200", latest: ago(0, 0, 5), inclusive: true },
    ],
    [
      "the same instant twice",
      { oldest_relative: "00:01:00", latest_relative: "00:01:00" },
      { oldest: ago(0, 1, 0), latest: ago(0, 1, 0), inclusive: true },
    ],
    [
      "an oldest bound that lies ahead is empty",
      { oldest_datetime: "2026-03-08 12:00:05" },
      { oldest: String(NOW_SECONDS + 5), latest: String(NOW_SECONDS + 5), inclusive: true },
    ],
    [
      "times that the platform cannot express",
      { oldest_datetime: "1066-10-14 09:00:00", latest_datetime: "9999-12-31 23:59:59" },
      { oldest: "0", latest: "9999999999", inclusive: true },
    ],
    [
      "further back than time goes",
      { oldest_relative: "99999999:00:00" },
      { oldest: "0", latest: ago(0, 0, 0), inclusive: true },
    ],
    [
      "hours and minutes beyond their usual range",
      { oldest_relative: "0:48:90" },
      { oldest: ago(2, 1, 30), latest: ago(0, 0, 0), inclusive: true },
    ],
  ])("%s", (_, filters, window) => {
    expect(windowOf(filters, NOW)).toEqual(window);
  });

  test("keeps the fraction of now: a message of this very second is in it", () => {
    expect(windowOf({ oldest_relative: "0:0:1" }, NOW + 345)).toEqual({
      oldest: "1772971140.345000",
      latest: "1772971200.345000",
      inclusive: true,
    });
  });
});

describe("a datetime", () => {
  test.each([
    ["2026-03-08 02:30:00", "1772937000"],
    [" 2026-03-08 02:30:00 ", "1772937000"],
    ["2026-03-08T02:30:00", "1772937000"],
    ["2026-03-08t02:30:00z", "1772937000"],
    ["2026-03-08T02:30:00Z", "1772937000"],
    ["2026-03-08T02:30:00.000Z", "1772937000"],
    ["2026-03-08T02:30:00.25Z", "1772937000.250000"],
    ["2026-03-08 02:30:00.123456", "1772937000.123456"],
    ["2026-03-08T02:30:00+05:30", "1772917200"],
    ["2026-03-08T02:30:00-0500", "1772955000"],
    ["2026-03-08 02:30:00 -05:00", "1772955000"],
    ["2024-02-29 00:00:00", "1709164800"],
  ])("%p is read in UTC, or by its offset", (text, seconds) => {
    expect(windowOf({ latest_datetime: text }, NOW).latest).toBe(seconds);
  });

  test.each([
    "2026-02-30 00:00:00",
    "2025-02-29 00:00:00",
    "2026-13-01 00:00:00",
    "2026-00-01 00:00:00",
    "2026-03-00 00:00:00",
    "2026-03-08 24:00:00",
    "2026-03-08 23:60:00",
    "2026-03-08 23:59:60",
    "2026-03-08T02:30:00+24:00",
    "2026-03-08T02:30:00+05:60",
    "2026-03-08",
    "2026-3-8 2:30:00",
    "08.03.2026 02:30:00",
    "1772937000",
    "yesterday",
  ])("%p is not a datetime", (text) => {
    const error = errorOf({ oldest_datetime: text });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details).toMatchObject({ statusCode: 400, retryAfterMs: 500 });
    expect(error.message).toContain("oldest_datetime");
    expect(error.details.additionalPromptContent).toContain("YYYY-MM-DD HH:MM:SS");
  });
});

test.each(["1:2", "-1:00:00", "+1:00:00", "1:00:-5", "3 days", "1:00:00:00", "a:b:c", "1.5:00:00", "::"])(
  "%p is not a relative time",
  (text) => {
    const error = errorOf({ latest_relative: text });
    expect(error).toMatchObject({
      kind: "TOOL_RUNTIME_RETRY",
      details: { statusCode: 400, retryAfterMs: 500 },
    });
    expect(error.details.additionalPromptContent).toContain("DD:HH:MM");
  },
);

test.each<[string, TimeFilters]>([
  ["both oldest forms", { oldest_relative: "01:00:00", oldest_datetime: "2026-03-01 00:00:00" }],
  ["both latest forms", { latest_relative: "01:00:00", latest_datetime: "2026-03-01 00:00:00" }],
  ["an oldest bound after the latest", { oldest_relative: "00:01:00", latest_relative: "00:02:00" }],
])("%s are bad input", (_, filters) => {
  expect(errorOf(filters)).toMatchObject({
    kind: "TOOL_RUNTIME_BAD_INPUT_VALUE",
    canRetry: false,
    details: { statusCode: 400 },
  });
});

test.each(["UTC", "America/New_York", "Asia/Kolkata"])(
  "with TZ=%s all instants are the same",
  async (zone) => {
    const script = join(import.meta.dir, "print-times.ts");
    const child = Bun.spawn([process.execPath, script], {
      env: { ...process.env, TZ: zone },
      stdout: "pipe",
    });
    expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
      zone,
      // In New York this hour does not exist: clocks go from two to three.
      window: { oldest: "1772937000", latest: "1772971200", inclusive: true },
      datetime: "2026-03-08 02:30:00",
    });
  },
);
