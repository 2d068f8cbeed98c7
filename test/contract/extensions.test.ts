// What the API has beyond the published contract is marked with `x-extension: true`, and nothing else is.
import { describe, expect, test } from "bun:test";
import { operations } from "../../server/operations";
import { isObject } from "../../src/base";
import { description, member, resolved, servedOperations } from "../support/described";
import contract from "./operations.json";
import tables from "./records.json";

const MARK = "x-extension";
const published: Readonly<Record<string, { operationId: string }>> = contract;
// The file is data in this form (`records.test.ts`).
type Row = [type: string, presence: string, more?: { ours?: boolean }];
const records = tables as unknown as Readonly<Record<string, Readonly<Record<string, Row>>>>;
const schemas = member(description, "components", "schemas");

describe.each(operations.map((row) => [`${row.method} ${row.path}`, row] as const))("%s", (name, row) => {
  test("is published, or declared as an extension", () => {
    expect(published[name] === undefined).toBe(row.extension === true);
  });

  test("is marked in the description if it is an extension", () => {
    const described = servedOperations.find(({ id }) => id === row.id);

    expect(described?.object[MARK] === true).toBe(row.extension === true);
  });
});

describe.each(Object.keys(records).filter((record) => record in schemas))("%s", (record) => {
  test("marks exactly the fields that are ours", () => {
    const table = Object.entries(records[record] ?? {});
    const ours = table.filter(([, [, , more]]) => more?.ours === true).map(([path]) => path);
    const marked = markedIn(schemas[record]);
    const isMarked = (path: string): boolean => marked.some((one) => path === one || inside(one, path));

    expect(ours.filter((path) => !isMarked(path))).toEqual([]);
    expect(
      table.map(([path]) => path).filter((path) => marked.includes(path) && !ours.includes(path)),
    ).toEqual([]);
  });
});

test("the search of tools is marked", () => {
  const list = servedOperations.find(({ name }) => name === "GET /v1/tools");
  const marked = list?.parameters.filter((one) => one[MARK] === true).map((one) => one["name"]);

  expect(marked).toEqual(["query"]);
});

function inside(parent: string, path: string): boolean {
  return [".", "[]", "{}"].some((step) => path.startsWith(parent + step));
}

/** Paths of the marked fields, such as `items{}.tools`. */
function markedIn(given: unknown, at = "", depth = 12): string[] {
  const schema = resolved(given);
  if (depth === 0 || !isObject(schema)) return [];
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const fields = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) => {
    const path = at === "" ? name : `${at}.${name}`;
    return [...(isObject(field) && field[MARK] === true ? [path] : []), ...markedIn(field, path, depth - 1)];
  });
  return [
    ...fields,
    ...markedIn(items, `${at}[]`, depth - 1),
    ...markedIn(additionalProperties, `${at}{}`, depth - 1),
    ...[anyOf, oneOf, allOf].flat().flatMap((one) => markedIn(one, at, depth - 1)),
  ];
}
