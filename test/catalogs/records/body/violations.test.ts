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
  [5, ["the value must be object"]],
  [{}, ["/name is required"]],
  [{ name: " " }, ["/name must not be blank"]],
  [{ name: 5, list: {} }, ["/name must be string", "/list must be array"]],
  [
    { list: [{}, { id: "1" }, { id: 1 }] },
    ["/name is required", "/list/0/id is required", "/list/1/id must be integer"],
  ],
  [
    { name: "x", one: { a: "1", b: 2 } },
    ["/one must not contain other fields together with a", "/one/b must be string"],
  ],
  [
    { name: "x", list: Array.from({ length: 12 }, () => 1) },
    [
      "/list must not have more than 3 items",
      ...Array.from({ length: 12 }, (_, index) => `/list/${index} must be object`),
    ],
  ],
])("%j", (value, violations) => {
  expect(violationsOf(SCHEMA, value)).toEqual(violations);
});
