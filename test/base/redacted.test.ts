// A redacted value does not print, whichever way a person or a library converts it to text.
import { describe, expect, test } from "bun:test";
import { format, inspect } from "node:util";
import { Redacted, reveal } from "../../src/base";

const TOKEN = "xoxb-1234567890-token";

/** A token without redaction: proves that each conversion below prints. */
class Naked {
  readonly text = TOKEN;

  toString(): string {
    return this.text;
  }
}

// All known conversions of a value to text.
const WAYS: [string, (value: Redacted | Naked) => unknown][] = [
  ["String()", (value) => String(value)],
  ["a template", (value) => `Bearer ${value}`],
  ["concatenation", (value) => "Bearer " + value],
  ["JSON", (value) => JSON.stringify(value)],
  ["JSON of an object that holds it", (value) => JSON.stringify({ deep: [{ token: value }] })],
  ["inspect", (value) => inspect(value)],
  ["inspect with everything shown", (value) => inspect({ value }, { showHidden: true, depth: 9 })],
  ["format", (value) => format("%s %o %j", value, value, value)],
  ["Bun.inspect", (value) => Bun.inspect(value)],
  ["Bun.inspect of an object that holds it", (value) => Bun.inspect({ deep: [{ token: value }] })],
  ["an error's message", (value) => new Error(`refused: ${value}`).message],
  ["an error that has it as its cause", (value) => inspect(new Error("refused", { cause: value }))],
  ["a list joined", (value) => [value, value].join(",")],
  ["a spread copy", (value) => JSON.stringify({ ...value })],
  ["a structured clone", (value) => Bun.inspect(structuredClone(value))],
  ["a form", (value) => new URLSearchParams({ token: String(value) }).toString()],
];

describe("a redacted value", () => {
  test.each(WAYS)("is not printed by %s", (_way, print) => {
    expect(print(new Redacted(TOKEN))).not.toContain("1234567890");
  });

  test.each(WAYS)("would be printed by %s if it were not redacted", (_way, print) => {
    expect(print(new Naked())).toContain("1234567890");
  });

  test("prints as [redacted]", () => {
    const value = new Redacted(TOKEN);

    expect([String(value), JSON.stringify(value), Bun.inspect(value)]).toEqual([
      "[redacted]",
      '"[redacted]"',
      "[redacted]",
    ]);
  });

  test("is not printed by the console of a process", () => {
    const script = `
      import { Redacted } from ${JSON.stringify(require.resolve("../../src/base"))};
      const value = new Redacted(["xoxb", "1234567890", "token"].join("-"));
      console.log(value, { value }, [value], "%s", value);
      console.error(value);
      throw new Error("thrown with " + value, { cause: value });
    `;
    const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
    const printed = stdout.toString() + stderr.toString();

    expect(printed).toContain("thrown with [redacted]");
    expect(printed).not.toContain("xoxb-1234567890-token");
  });

  test("is returned only by reveal", () => {
    expect(new Redacted(TOKEN).reveal()).toBe(TOKEN);
  });
});

test("reveal returns the text of a redacted value and leaves plain text as it is", () => {
  expect([reveal(new Redacted(TOKEN)), reveal("plain")]).toEqual([TOKEN, "plain"]);
});
