import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type Format, printList, printRecord, type Shape, type View } from "../../cli/output";
import { fakeIo } from "./support/fake-io";

interface Item {
  id: string;
}
const SHAPE: Shape<Item> = {
  name: ({ id }) => id,
  optional: ["note"],
  columns: [{ title: "id", value: ({ id }) => id }],
};
const view = (output: Format, fields?: string[], headers = true): View => ({ output, fields, headers });

describe("a list", () => {
  test("is an array of its records as JSON", () => {
    const io = fakeIo();

    printList(io, view("json"), [{ id: "a" }, { id: "b" }], SHAPE, "none");

    expect(JSON.parse(io.stdout)).toEqual([{ id: "a" }, { id: "b" }]);
    expect(io.stderr).toBe("");
  });

  test("that is empty is an empty array as JSON, and a note instead of a table", () => {
    const [asJson, asTable] = [fakeIo(), fakeIo()];

    printList(asJson, view("json"), [], SHAPE, "none");
    printList(asTable, view("table"), [], SHAPE, "none");

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

  test("as YAML parses to the fields that JSON has", () => {
    const io = fakeIo();

    printRecord(io, view("yaml"), record, SHAPE);

    const { gone: _gone, text: _text, ...rest } = record;
    expect(Bun.YAML.parse(io.stdout)).toMatchObject(rest);
    expect(io.stdout).not.toContain("\u009b");
  });

  test("for people is a line per field", () => {
    const io = fakeIo();

    printRecord(io, view("table"), record, SHAPE);

    expect(io.stdout).toBe("id  1234567890123456789\n");
  });
});

describe("the other formats", () => {
  const items = [
    { id: "a", size: 1, inner: { deep: "x", more: [1, 2] } },
    { id: "b\u001b[2J", size: 2, inner: { deep: "y", more: [] } },
  ];
  const printed = (chosen: View): string => {
    const io = fakeIo();
    printList(io, chosen, items, SHAPE, "none");
    return io.stdout;
  };

  test("ndjson is a record on each line", () => {
    const lines = printed(view("ndjson")).trimEnd().split("\n");

    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
  });

  test("name prints what other commands take, with control characters escaped", () => {
    expect(printed(view("name"))).toBe("a\nb\\x1b[2J\n");
  });

  test("a table without a header row", () => {
    expect(printed(view("table", ["size"], false))).toBe("1\n2\n");
  });

  test("selected fields, in the given order, also nested", () => {
    expect(printed(view("table", ["inner.deep", "id"]))).toStartWith("INNER.DEEP  ID\nx           a\n");
    expect(JSON.parse(printed(view("json", ["inner.deep", "size"])))).toEqual([
      { inner: { deep: "x" }, size: 1 },
      { inner: { deep: "y" }, size: 2 },
    ]);
  });

  test("judges a path into an optional field by the schema", () => {
    const schema = Type.Object({ note: Type.Object({ by: Type.String(), at: Type.String() }) });
    const shown = (...fields: string[]) => {
      const io = fakeIo();
      const noted = { id: "a", note: { by: "x" } };
      printRecord(io, view("json", fields), noted, { ...SHAPE, schema });
      return JSON.parse(io.stdout);
    };

    expect(shown("note.by")).toEqual({ note: { by: "x" } });
    expect(shown("note.at")).toEqual({});
    expect(() => shown("note.byy")).toThrow(
      "there is no field note.byy. Did you mean by? The fields are by, at",
    );
    expect(() => shown("id", "note.nope")).toThrow("there is no field note.nope. The fields are by, at");
  });

  test("accepts a field that some records may have, and rejects an unknown one", () => {
    expect(printed(view("ndjson", ["note", "size"]))).toBe('{"size":1}\n{"size":2}\n');
    expect(() => printed(view("json", ["sise"]))).toThrow(
      "there is no field sise. Did you mean size? The fields are id, size, inner",
    );
  });
});
