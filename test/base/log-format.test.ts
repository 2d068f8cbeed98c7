// Log lines for people, the level that changes while a process runs, and the limit of refusals.
import { describe, expect, test } from "bun:test";
import {
  type Clock,
  commandLine,
  createLog,
  lineFormat,
  type LineFormat,
  Redacted,
  systemClock,
} from "../../src/base";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const clock: Clock = { ...systemClock, now: () => NOW };

function written(format: LineFormat, use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog({ level: "info", clock, write: (line) => lines.push(line), format }));
  return lines;
}

describe("a line of text", () => {
  test("has time, level, message and fields", () => {
    const lines = written(lineFormat("text"), (log) =>
      log.warn("the disk is full", { free: 0, folder: "/var/lib", reason: 'no "space" left', at: { a: 1 } }),
    );

    expect(lines).toEqual([
      '2026-01-02T03:04:05.678Z warn  the disk is full  free=0 folder=/var/lib reason="no \\"space\\" left" at={"a":1}',
    ]);
  });

  test("of a command has no time", () => {
    expect(written(commandLine, (log) => log.warn("it is late", { by: "1 h" }))).toEqual([
      'warning: it is late  by="1 h"',
    ]);
  });

  test("hides secrets and shows hidden characters, on one line", () => {
    const [line = ""] = written(lineFormat("text"), (log) =>
      log.info("a\nb\u202e", { token: new Redacted("xoxb-1234567890"), text: "c\u001b[2J\nd" }),
    );

    expect(line).toContain("[redacted]");
    expect(line).not.toContain("1234567890");
    expect(["\n", "\u202e", "\u001b"].filter((hidden) => line.includes(hidden))).toEqual([]);
  });

  test("of values that JSON cannot represent does not throw", () => {
    const [line] = written(lineFormat("text"), (log) => log.info("i", { count: 1n }));
    expect(line).toBe("2026-01-02T03:04:05.678Z info  i  unprintable=true");
  });

  test("of deeply nested values does not throw", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 5000; level++) deep = [deep];
    expect(written(lineFormat("text"), (log) => log.info("i", { deep }))).toHaveLength(1);
  });
});

test("the level changes while the process runs", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => lines.push(JSON.parse(line).message) });

  log.debug("before");
  log.setLevel("debug");
  expect([log.level, log.debugs]).toEqual(["debug", true]);
  log.debug("during");
  log.setLevel("error");
  log.warn("after");

  expect(lines).toEqual(["during"]);
});

test("requests of the access log are written at every level but silent", () => {
  const lines: string[] = [];
  const log = createLog({ level: "error", clock, write: (line) => lines.push(JSON.parse(line).message) });

  log.access({ status: 200 });
  log.setLevel("silent");
  log.access({ status: 200 });

  expect(lines).toEqual(["request"]);
});

describe("refusals", () => {
  const refusing = (level: "info" | "warn" = "info") => {
    let now = 1000;
    const lines: { left_out?: number; next?: string; n?: number }[] = [];
    const movable: Clock = { ...clock, monotonic: () => now };
    const log = createLog({ level, clock: movable, write: (line) => lines.push(JSON.parse(line)) });
    const refuse = (kind: string, count: number): void => {
      for (let n = 1; n <= count; n++) log.refused(kind, { n });
    };
    return { lines, refuse, move: (ms: number) => void (now += ms) };
  };

  test("of one kind are limited, and do not hide those of another", () => {
    const { lines, refuse } = refusing();

    refuse("401", 10_000);
    refuse("403", 1);

    expect(lines).toHaveLength(21);
    expect(lines[19]?.next).toContain("left out");
    expect(lines[20]).toMatchObject({ message: "refused", n: 1 });
  });

  test("that were left out are counted in the next line", () => {
    const { lines, refuse, move } = refusing();

    refuse("401", 25);
    move(10_000);
    refuse("401", 1);

    expect(lines.at(-1)?.left_out).toBe(5);
  });

  test("are information", () => {
    const { lines, refuse } = refusing("warn");
    refuse("401", 1);
    expect(lines).toEqual([]);
  });
});
