// The components of the API description against the tables of the published records (`records.json`). There a field
// is [type, presence, more]: `either`: required or not; `ours`: not in the contract.
import { describe, expect, test } from "bun:test";
import { description, member } from "../support/described";
import { fieldsOf, matches, type SchemaField } from "./schema-fields";
import tables from "./records.json";

type Row = [type: string, presence: string, more?: { values?: string[]; max?: number; ours?: boolean }];

// The file is data in this form; a row of another form fails below.
const records = tables as unknown as Readonly<Record<string, Readonly<Record<string, Row>>>>;
const schemas = member(description, "components", "schemas");
const shown = Object.keys(records).filter((record) => record in schemas);

test("every record of the tables is a component, with one page component per record", () => {
  expect(Object.keys(records).filter((record) => !shown.includes(record))).toEqual(["OffsetPage"]);
});

describe.each(shown)("%s", (record) => {
  const table = records[record] ?? {};
  const fields = fieldsOf(schemas[record]);

  test("has each field of its table with the type and limits", () => {
    expect(Object.entries(table).flatMap(([path, row]) => faultsOf(path, row, fields.get(path)))).toEqual([]);
  });

  test("has no other field", () => {
    // Fields of any form, and ours, need no further rows.
    const free = Object.keys(table).filter((path) => isFree(table[path]));
    const others = [...fields.keys()].filter(
      (path) => !(path in table) && !free.some((parent) => inside(parent, path)),
    );

    expect(others).toEqual([]);
  });

  test("is open only where the table allows any", () => {
    const open = [...fields].filter(([, { open: isOpen }]) => isOpen).map(([path]) => path);

    expect(open.filter((path) => !/any/.test(table[path]?.[0] ?? ""))).toEqual([]);
  });
});

describe("every page", () => {
  const pages = Object.keys(schemas).filter((name) => name.startsWith("OffsetPageOf"));

  test.each(pages)("%s has the fields of a page", (name) => {
    const fields = fieldsOf(schemas[name]);
    const table = Object.entries(records["OffsetPage"] ?? {}).filter(([path]) => path !== "items");

    expect(table.flatMap(([path, row]) => faultsOf(path, row, fields.get(path)))).toEqual([]);
    expect(fields.get("items")).toMatchObject({ required: true });
  });
});

function faultsOf(path: string, [type, presence, more = {}]: Row, field: SchemaField | undefined): string[] {
  if (field === undefined) return [`${path} is missing`];
  const { values, max } = more;
  return [
    ...(matches(type, field.schema) ? [] : [`${path} is not ${type}: ${JSON.stringify(field.schema)}`]),
    ...(presence === "either" || field.required === (presence === "required")
      ? []
      : [`${path} must be ${presence}`]),
    ...(values === undefined || Bun.deepEquals(field.values?.toSorted(), values.toSorted())
      ? []
      : [`${path} must be one of ${values.join(", ")}`]),
    ...(max === undefined || field.max === max ? [] : [`${path} has the limit ${max}, not ${field.max}`]),
  ];
}

function isFree(row: Row | undefined): boolean {
  return row !== undefined && (row[0] === "any" || row[2]?.ours === true);
}

function inside(parent: string, path: string): boolean {
  return [".", "[]", "{}"].some((step) => path.startsWith(parent + step));
}
