// Text on a narrow terminal is broken between words, so that it can be read and what is copied stays whole.
import { describe, expect, test } from "bun:test";
import { plainPaint } from "../../cli/io";
import { fittedTable, linesOf } from "../../cli/table";
import { wrapped, wrappedNote } from "../../cli/wrap";
import { newTerminal } from "./support/fake-io";

describe("words", () => {
  test.each<[string, number | undefined, string[]]>([
    ["one two three", undefined, ["one two three"]],
    ["one two three", 13, ["one two three"]],
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 2, ["one", "two", "three"]],
    ["https://a.example/long then", 5, ["https://a.example/long", "then"]],
    ["", 5, [""]],
  ])("%p in %p columns", (text, width, lines) => {
    expect(wrapped(text, width)).toEqual(lines);
  });

  test("of a note are broken, unless it has a command to copy", () => {
    expect(wrappedNote("one two three", 7)).toBe("one two\nthree");
    for (const note of ["Next: runtime keys create x", "  runtime providers create slack"])
      expect(wrappedNote(note, 7)).toBe(note);
  });
});

test("lines of a record continue below their value", () => {
  expect(linesOf([["scopes", "a:read b:read c:read"]], plainPaint, 22)).toBe(
    "scopes  a:read b:read\n        c:read\n",
  );
});

test("a column that wraps is shown whole, with the others once", () => {
  const columns = [
    { title: "name", keep: "always" as const, value: (row: string[]) => row[0] },
    { title: "meaning", wraps: true, value: (row: string[]) => row[1] },
  ];
  const rows = [
    ["--message", "The text that is sent to the conversation"],
    ["--b", "Short"],
  ];
  const { text } = fittedTable(rows, columns, { paint: plainPaint, width: 40 });

  expect(text.split("\n")).toEqual([
    "NAME       MEANING",
    "--message  The text that is sent to the",
    "           conversation",
    "--b        Short",
    "",
  ]);
});

test("a column without a text is left out first, without a word about it", () => {
  const columns = ["note", "id", "size"].map((title, at) => ({ title, value: (row: string[]) => row[at] }));
  const shown = (width: number) =>
    fittedTable([["", "a-long-id", "1"]], columns, { paint: plainPaint, width });

  expect(shown(40).text).toBe("NOTE  ID         SIZE\n      a-long-id  1\n");
  expect(shown(16)).toEqual({ text: "ID         SIZE\na-long-id  1\n", hidden: [] });
});

test("a narrow column is shown where a wide one does not fit", () => {
  const columns = ["id", "time", "state"].map((title, at) => ({
    title,
    keep: at === 0 ? ("always" as const) : ("whole" as const),
    value: (row: string[]) => row[at],
  }));
  const rows = [["an-id-of-20-letters-", "2026-01-01T00:00:00Z", "done"]];
  const { text, hidden } = fittedTable(rows, columns, { paint: plainPaint, width: 30 });

  expect(text).toBe("ID                    STATE\nan-id-of-20-letters-  done\n");
  expect(hidden).toEqual(["time"]);
});

test("the meaning of every parameter is shown in full at 80 columns", async () => {
  const { run } = newTerminal();
  for (const command of ["tools show Chat.SendMessage", "tools exec Chat.SendMessage --help"]) {
    const { stdout } = await run(command.split(" "), { columns: 80 });
    expect(stdout).not.toContain("…");
    for (const line of stdout.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(100);
  }
});

test("a list of hooks shows the point of each and whether it is in force", async () => {
  const { run } = newTerminal();
  await run(["plugins", "create", "policy", "--pre", "https://policy.example/pre"]);
  const { stdout } = await run(["hooks", "list"], { columns: 80 });

  expect(stdout).toMatch(/^ID +POINT +IN FORCE/);
  expect(stdout).toMatch(/^hk_\w+ +tool\.pre +no: plugin inactive/m);
});
