// All violations of a schema, by path.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { violationsOf } from "../../../../catalogs/records/body/violations";

const SCHEMA = Type.Object({
  name: Type.String({ pattern: "\\S" }),
  list: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }), { maxItems: 3 })),
  one: Type.Optional(
    Type.Object(
      { a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) },
      { dependentSchemas: { a: { maxProperties: 1 } } },
    ),
  ),
});

test.each<[unknown, string[]]>([
  [{ name: "x" }, []],
  [{ name: "x", more: 1, list: [{ id: 1, more: 2 }] }, []],
  [5, ["body must be object"]],
  [{}, ["body.name is required"]],
  [{ name: " " }, ["body.name must not be blank"]],
  [{ name: 5, list: {} }, ["body.name must be string", "body.list must be array"]],
  [
    { list: [{}, { id: "1" }, { id: 1 }] },
    ["body.name is required", "body.list.0.id is required", "body.list.1.id must be integer"],
  ],
  [
    { name: "x", one: { a: "1", b: 2 } },
    ["body.one.a must be the only field: leave out `body.one.a` or all others", "body.one.b must be string"],
  ],
  [
    { name: "x", list: Array.from({ length: 12 }, () => 1) },
    [
      "body.list must not have more than 3 items",
      ...Array.from({ length: 12 }, (_, index) => `body.list.${index} must be object`),
    ],
  ],
])("%j", (value, violations) => {
  expect(violationsOf(SCHEMA, value, "body")).toEqual(violations);
});
