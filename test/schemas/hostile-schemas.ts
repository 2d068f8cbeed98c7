// Schemas that are small and expensive, with inputs that make them so.
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema

export interface Hostile {
  name: string;
  schema: unknown;
  inputs: readonly unknown[];
}

/** An object in an object, and so on. */
export function nested(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
}

function root(value: unknown, definitions: object = {}): object {
  return { type: "object", $defs: definitions, properties: { a: value } };
}

/** `{x: {x: … inner}}` */
function deep(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { x: value, z: 1 };
  return value;
}

/** Each definition refers to the next. */
function chain(length: number, link: (next: object) => object): object {
  const definitions: { [name: string]: object } = { [`D${length}`]: { type: "string" } };
  for (let index = 0; index < length; index++)
    definitions[`D${index}`] = link({ $ref: `#/$defs/D${index + 1}` });
  return root({ $ref: "#/$defs/D0" }, definitions);
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named(count: number, value: (index: number) => unknown): object {
  return Object.fromEntries(many(count, (index) => [`n${index}`, value(index)]));
}

export function hostileSchemas(): Hostile[] {
  const self = { $ref: "#/$defs/N" };
  const records = many(20_000, (index) => ({ index }));
  return [
    { name: "a reference to itself", schema: { $ref: "#" }, inputs: [{}, deep(900, 1)] },
    {
      name: "references in a circle",
      schema: root({ $ref: "#/$defs/A" }, { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }),
      inputs: [{ a: 1 }],
    },
    {
      name: "a circle through alternatives",
      schema: root(self, { N: { anyOf: [self, { allOf: [self] }, { not: self }] } }),
      inputs: [{ a: 1 }],
    },
    {
      name: "a circle through conditions",
      schema: root(self, { N: { if: self, then: self, else: { dependentSchemas: { x: self } } } }),
      inputs: [{ a: { x: 1 } }],
    },
    {
      name: "the whole document in place",
      schema: root({ allOf: [{ $ref: "#/properties/a" }] }),
      inputs: [{ a: 1 }],
    },
    {
      name: "2^60 schemas by references",
      schema: chain(60, (next) => ({ allOf: [next, next] })),
      inputs: [{ a: "x" }, { a: 1 }],
    },
    {
      name: "2^60 alternatives by references",
      schema: chain(60, (next) => ({ oneOf: [next, next] })),
      inputs: [{ a: "x" }, { a: 1 }],
    },
    {
      name: "2^60 schemas over the levels of the input",
      schema: chain(60, (next) => ({ allOf: [{ properties: { x: next } }, { properties: { x: next } }] })),
      inputs: [{ a: deep(60, "x") }, { a: deep(60, 1) }],
    },
    {
      name: "6,000 references one after the other",
      schema: chain(6000, (next) => next),
      inputs: [{ a: "x" }],
    },
    {
      name: "2,000 definitions, each inside of the other",
      schema: chain(1900, (next) => ({ properties: { n: { items: { anyOf: [next] } } } })),
      inputs: [{ a: { n: [] } }],
    },
    {
      name: "a recursive schema with three alternatives that all fail at the end",
      schema: root(self, {
        N: {
          type: "object",
          properties: { x: { anyOf: [self, self, self] }, z: { type: "integer" } },
          required: ["z"],
        },
      }),
      inputs: [{ a: deep(40, { z: "bad" }) }, { a: deep(980, { z: "bad" }) }, { a: deep(980, { z: 1 }) }],
    },
    {
      name: "a recursive schema and an input of 980 levels",
      schema: root(self, { N: { properties: { x: self, z: { type: "integer" } } } }),
      inputs: [{ a: deep(980, 1) }, { a: deep(980, { z: "1" }) }],
    },
    {
      name: "30 levels of alternatives",
      schema: root(
        many(28, (index) => index).reduce<object>(
          (inner, index) => ({ anyOf: [inner, { minimum: index }] }),
          { type: "string" },
        ),
      ),
      inputs: [{ a: true }, { a: [] }],
    },
    {
      name: "4,096 alternatives as a tree",
      schema: root(tree(12)),
      inputs: [{ a: many(100, () => 1) }, { a: 1 }],
    },
    {
      name: "many alternatives for many entries",
      schema: root({
        type: "array",
        items: { anyOf: many(450, (index) => ({ type: "object", required: [`k${index}`] })) },
      }),
      inputs: [{ a: records }],
    },
    { name: "too many alternatives", schema: root({ anyOf: many(20_000, () => true) }), inputs: [{ a: 1 }] },
    { name: "too many values", schema: root({ enum: many(30_000, String) }), inputs: [{ a: "x" }] },
    {
      name: "many values for many entries",
      schema: root({ items: { enum: many(1900, (index) => ({ index })) } }),
      inputs: [{ a: records }, { a: many(50_000, () => "x") }],
    },
    {
      name: "too many properties",
      schema: { type: "object", properties: named(15_000, () => true), additionalProperties: false },
      inputs: [{}, { a: 1 }],
    },
    {
      name: "closed properties and many names",
      schema: root({ properties: named(1900, () => ({})), additionalProperties: false }),
      inputs: [{ a: Object.fromEntries(many(50_000, (index) => [`m${index}`, 1])) }],
    },
    {
      name: "many patterns of names and many names",
      schema: root({ patternProperties: named(1900, () => ({ type: "string" })) }),
      inputs: [{ a: Object.fromEntries(many(50_000, (index) => [`m${index}`, 1])) }],
    },
    {
      name: "a pattern of names and a name of 1 MB",
      schema: root({ patternProperties: { "^a+b": true }, additionalProperties: false }),
      inputs: [{ a: { ["a".repeat(1_000_000)]: 1 } }],
    },
    {
      name: "groups with names in patterns of names",
      schema: root({ patternProperties: { "(?<n>a)": true, "(?<n>b)": true }, additionalProperties: false }),
      inputs: [{ a: { a: 1 } }],
    },
    {
      name: "too many required names",
      schema: { type: "object", required: many(20_000, String) },
      inputs: [{}],
    },
    { name: "wide and deep", schema: { type: "object", properties: wide(9, 150) }, inputs: [{}] },
    {
      name: "long names on each level",
      schema: many(20, String).reduce<object>(
        (inner, index) => ({ properties: { [index + "n".repeat(5000)]: inner } }),
        { properties: named(5000, () => ({ type: "string" })) },
      ),
      inputs: [{}],
    },
    {
      name: "one name of 200 KB",
      schema: {
        properties: {
          ["n".repeat(200_000)]: { properties: named(1000, () => ({ minLength: 1, maxLength: 2 })) },
        },
      },
      inputs: [{}],
    },
    {
      name: "entries that must all differ",
      schema: root({ uniqueItems: true }),
      inputs: [{ a: records }, { a: many(200_000, String) }],
    },
    {
      name: "what is not evaluated, in a recursive schema",
      schema: root(self, {
        N: {
          allOf: [{ properties: { x: self } }, { properties: { z: true } }],
          unevaluatedProperties: false,
        },
      }),
      inputs: [{ a: deep(200, 1) }, { a: deep(900, { y: 1 }) }],
    },
    {
      name: "a pattern that takes exponential time",
      schema: root({ pattern: "^(a+)+$" }),
      inputs: [{ a: `${"a".repeat(50)}!` }],
    },
    {
      name: "a pattern that takes quadratic time",
      schema: root({ pattern: "a+b" }),
      inputs: [{ a: "a".repeat(1_000_000) }],
    },
    {
      name: "a format with a long text",
      schema: root({ format: "email" }),
      inputs: [{ a: "a".repeat(1_000_000) }],
    },
    {
      name: "keywords with values of other types",
      schema: {
        type: "object",
        properties: [],
        required: "a",
        anyOf: {},
        items: 1,
        enum: {},
        pattern: 5,
        minLength: "3",
        $ref: 7,
        allOf: [[]],
        $defs: [],
        $id: {},
        if: null,
      },
      inputs: [{}],
    },
    {
      name: "numbers that are none",
      schema: root({
        minimum: "1e999",
        maximum: `1${"0".repeat(390)}`,
        multipleOf: 0,
        minLength: -1,
        maxItems: 1e308,
      }),
      inputs: [{ a: 1 }, { a: [] }],
    },
    {
      name: "half of a surrogate pair",
      schema: root({ pattern: "[\ud800]", const: "\udc00", description: "\ud800" }),
      inputs: [{ a: "\ud800" }],
    },
  ];
}

function tree(levels: number): object {
  return levels === 0 ? { type: "string" } : { anyOf: [tree(levels - 1), tree(levels - 1)] };
}

function wide(levels: number, width: number): object {
  return { ...named(width, () => true), n0: levels === 0 ? true : { properties: wide(levels - 1, width) } };
}
