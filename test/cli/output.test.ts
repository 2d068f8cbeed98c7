import { describe, expect, test } from "bun:test";
import { printList, printRecord } from "../../cli/output";
import { fakeIo } from "./support/fake-io";

const COLUMNS = [{ title: "id", value: ({ id }: { id: string }) => id }];

describe("a list", () => {
  test("is an array of its records as JSON", () => {
    const io = fakeIo();

    printList(io, "json", [{ id: "a" }, { id: "b" }], COLUMNS, "none");

    expect(JSON.parse(io.stdout)).toEqual([{ id: "a" }, { id: "b" }]);
    expect(io.stderr).toBe("");
  });

  test("that is empty is an empty array as JSON, and a word to people as a table", () => {
    const [asJson, asTable] = [fakeIo(), fakeIo()];

    printList(asJson, "json", [], COLUMNS, "none");
    printList(asTable, "table", [], COLUMNS, "none");

    expect(asJson.stdout).toBe("[]\n");
    expect([asTable.stdout, asTable.stderr]).toEqual(["", "none\n"]);
  });
});

describe("a record", () => {
  const record = {
    id: "1234567890123456789",
    at: "2026-01-01T00:00:00Z",
    odd: "yes",
    text: "a: b\u009b",
    gone: undefined,
  };

  test("as YAML reads back as it was, less what JSON leaves out", () => {
    const io = fakeIo();

    printRecord(io, "yaml", record, []);

    const { gone: _gone, text: _text, ...rest } = record;
    expect(Bun.YAML.parse(io.stdout)).toMatchObject(rest);
    expect(io.stdout).not.toContain("\u009b");
  });

  test("for people is its fields", () => {
    const io = fakeIo();

    printRecord(io, "table", record, [["id", record.id]]);

    expect(io.stdout).toBe("id  1234567890123456789\n");
  });
});
