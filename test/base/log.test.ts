// Log lines: one line of JSON each, filtered by level, without redacted values.
import { describe, expect, test } from "bun:test";
import {
  type Clock,
  createLog,
  type LogFields,
  type LogLevel,
  Redacted,
  silentLog,
  systemClock,
  unsafePrintSecrets,
} from "../../src/base";

const TOKEN = "xoxb-1234567890-token";
const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };

function linesOf(level: LogLevel, fields: LogFields, printSecrets = false): string[] {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const log = createLog({ level, clock, write, [unsafePrintSecrets]: printSecrets });
  log.debug("d", fields);
  log.info("i", fields);
  log.warn("w", fields);
  log.error("e", fields);
  return lines;
}

function lineOf(fields: LogFields, printSecrets = false): string {
  return linesOf("error", fields, printSecrets).join("\n");
}

describe("a line", () => {
  test("has time, level, message and fields, in this order", () => {
    expect(lineOf({ tool: "Chat.WhoAmI", ms: 12 })).toBe(
      '{"time":"2026-01-02T03:04:05.678Z","level":"error","message":"e","tool":"Chat.WhoAmI","ms":12}',
    );
  });

  test("is a single line even if its values contain line breaks", () => {
    expect(lineOf({ text: 'a\nb\r\n"c"\u2028' }).split(/[\r\n]/)).toHaveLength(1);
  });

  test("of an error has its name, message and stack", () => {
    const parsed = JSON.parse(lineOf({ error: new TypeError("no such thing") }));

    expect(parsed.error).toMatchObject({ name: "TypeError", message: "no such thing" });
    expect(parsed.error.stack[0]).toContain("log.test.ts");
  });

  test("of an error has its causes, nested", () => {
    const root = new Error("connection reset");
    const error = new Error("upstream failed", { cause: new Error("fetch failed", { cause: root }) });

    expect(JSON.parse(lineOf({ error })).error.cause).toMatchObject({
      message: "fetch failed",
      cause: { message: "connection reset" },
    });
  });
});

describe("values that JSON cannot represent", () => {
  const cycle: LogFields = {};
  cycle["self"] = cycle;
  const selfCaused = new Error("caused by itself");
  selfCaused.cause = selfCaused;

  test.each<[string, LogFields]>([
    ["a cycle", { cycle }],
    ["a bigint", { count: 1n }],
    ["an error that is its own cause", { error: selfCaused }],
  ])("%s drops the fields, not the line, and does not throw", (_what, fields) => {
    expect(lineOf(fields)).toBe(
      '{"time":"2026-01-02T03:04:05.678Z","level":"error","message":"e","unprintable":true}',
    );
  });
});

describe("levels", () => {
  test.each<[LogLevel, string[]]>([
    ["debug", ["d", "i", "w", "e"]],
    ["info", ["i", "w", "e"]],
    ["warn", ["w", "e"]],
    ["error", ["e"]],
    ["silent", []],
  ])("%s prints %j", (level, messages) => {
    expect(linesOf(level, {}).map((line) => JSON.parse(line).message)).toEqual(messages);
  });

  test("the silent log writes nothing", () => {
    expect(silentLog.error("unheard", { token: new Redacted(TOKEN) })).toBeUndefined();
  });
});

describe("redaction", () => {
  const secret = new Redacted(TOKEN);
  const places: [string, LogFields][] = [
    ["in a field", { secret }],
    ["deeper down", { request: { headers: { authorization: secret } } }],
    ["in a list", { secrets: ["first", secret] }],
    ["in a list of lists", { secrets: [[secret]] }],
    ["in objects of a list", { headers: [{ name: "authorization", value: secret }] }],
  ];

  test.each(places)("hides a secret %s", (_place, fields) => {
    const line = lineOf(fields);

    expect(line).toContain("[redacted]");
    expect(line).not.toContain("1234567890");
  });

  test.each(places)("if disabled, prints a secret %s (positive control)", (_place, fields) => {
    expect(lineOf(fields, true)).toContain(TOKEN);
  });

  test("hides a secret in the message of an error and of its cause", () => {
    const error = new Error(`with ${secret}`, { cause: new Error(`because of ${secret}`) });

    const line = lineOf({ error });
    expect(line).toContain("because of [redacted]");
    expect(line).not.toContain("1234567890");
  });

  test("hides a secret that is the cause of an error", () => {
    const line = lineOf({ error: new Error("refused", { cause: secret }) });

    expect(line).toContain("refused");
    expect(line).not.toContain("1234567890");
  });

  test("cannot be disabled by a field of the same name", () => {
    const lines: string[] = [];
    const options = { level: "info", clock, write: (line: string): void => void lines.push(line) } as const;
    createLog({ ...options, ...JSON.parse('{"unsafePrintSecrets":true}') }).info("i", { secret });

    expect(lines.join()).toContain("[redacted]");
    expect(lines.join()).not.toContain("1234567890");
  });
});
