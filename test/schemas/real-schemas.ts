// Input schemas in the manner of the libraries and servers that make most of them.
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema

export interface RealSchema {
  name: string;
  schema: object;
  /** Inputs that the worker takes. */
  valid: readonly object[];
  /** Inputs that it refuses, with the field that the error names. */
  invalid: readonly (readonly [object, string])[];
  /** What is left out of it, as parts of the reasons. */
  dropped?: readonly string[];
}

const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

export const REAL_SCHEMAS: readonly RealSchema[] = [
  {
    name: "the official SDK with zod 3: closed, draft 7, references to a sibling",
    schema: {
      $schema: DRAFT_7,
      type: "object",
      properties: {
        from: {
          type: "object",
          properties: {
            line: { type: "integer", exclusiveMinimum: 0 },
            path: { type: "string", minLength: 1 },
          },
          required: ["line", "path"],
          additionalProperties: false,
        },
        to: { $ref: "#/properties/from" },
        mode: { type: "string", enum: ["copy", "move"], default: "copy" },
      },
      required: ["from", "to"],
      additionalProperties: false,
    },
    valid: [{ from: { line: 1, path: "a" }, to: { line: 2, path: "b" } }],
    invalid: [
      [{ from: { line: 1, path: "a" }, to: { line: 0, path: "b" } }, "to.line"],
      [{ from: { line: 1, path: "a" }, to: { line: 1, path: "b" }, mode: "link" }, "mode"],
      [{ from: { line: 1, path: "a" }, to: { line: 1, path: "b", extra: 1 } }, "to"],
    ],
  },
  {
    name: "zod-to-json-schema with a name: the root is a reference, recursion",
    schema: {
      $schema: DRAFT_7,
      $ref: "#/definitions/Comment",
      definitions: {
        Comment: {
          type: "object",
          properties: {
            text: { type: "string" },
            replies: { type: "array", items: { $ref: "#/definitions/Comment" } },
          },
          required: ["text"],
          additionalProperties: false,
        },
      },
    },
    valid: [{ text: "a", replies: [{ text: "b", replies: [] }] }],
    invalid: [[{ text: "a", replies: [{ text: "b", replies: [{}] }] }, "replies.0.replies.0.text"]],
  },
  {
    name: "zod 4: 2020-12, safe integers, unions of constants, prefix items",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        id: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
        when: {
          type: "string",
          format: "date-time",
          pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
        },
        point: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false },
        shape: {
          oneOf: [
            {
              type: "object",
              properties: { kind: { type: "string", const: "circle" }, radius: { type: "number" } },
              required: ["kind", "radius"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { kind: { type: "string", const: "square" }, side: { type: "number" } },
              required: ["kind", "side"],
              additionalProperties: false,
            },
          ],
        },
        labels: {
          type: "object",
          propertyNames: { type: "string" },
          additionalProperties: { type: "string" },
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    valid: [
      {
        id: 1,
        when: "2030-01-31T09:30:00Z",
        point: [1, 2.5],
        shape: { kind: "square", side: 2 },
        labels: { a: "b" },
      },
    ],
    invalid: [
      [{ id: 1.5 }, "id"],
      [{ id: 1, when: "tomorrow" }, "when"],
      [{ id: 1, point: [1, 2, 3] }, "point.2"],
      [{ id: 1, shape: { kind: "square", side: "x" } }, "shape.side"],
      [{ id: 1, shape: { kind: "oval" } }, "shape.kind"],
      [{ id: 1, labels: { a: 1 } }, "labels.*"],
    ],
  },
  {
    name: "pydantic and fastmcp: $defs, anyOf with null, titles, defaults",
    schema: {
      $defs: {
        Priority: { enum: ["low", "high"], title: "Priority", type: "string" },
        Task: {
          properties: {
            title: { title: "Title", type: "string" },
            priority: { $ref: "#/$defs/Priority", default: "low" },
            parent: { anyOf: [{ $ref: "#/$defs/Task" }, { type: "null" }], default: null },
          },
          required: ["title"],
          title: "Task",
          type: "object",
        },
      },
      properties: {
        task: { $ref: "#/$defs/Task" },
        assignee: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Assignee" },
        estimate: { anyOf: [{ type: "integer" }, { type: "number" }], title: "Estimate" },
        tags: { default: [], items: { type: "string" }, type: "array", uniqueItems: true },
      },
      required: ["task"],
      title: "create_taskArguments",
      type: "object",
    },
    valid: [
      {
        task: { title: "a", parent: { title: "b", parent: null } },
        assignee: null,
        estimate: 1.5,
        tags: ["x"],
      },
      { task: { title: "a" }, unknown: true },
    ],
    invalid: [
      [{ task: { title: "a", parent: { title: 1 } } }, "task.parent.title"],
      [{ task: { title: "a", priority: "urgent" } }, "task.priority"],
      [{ task: { title: "a" }, estimate: "long" }, "estimate"],
      [{ task: { title: "a" }, tags: ["x", "x"] }, "tags"],
    ],
  },
  {
    name: "an HTTP API of code hosting: many parameters, a choice of bodies",
    schema: {
      type: "object",
      properties: {
        owner: { type: "string", description: "Account owner." },
        repo: { type: "string" },
        page: { type: "number", minimum: 1 },
        perPage: { type: "number", minimum: 1, maximum: 100 },
        labels: {
          oneOf: [
            { type: "array", items: { type: "string" } },
            {
              type: "array",
              items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
            },
          ],
        },
        sort: { enum: ["created", "updated", "comments"], type: "string" },
      },
      required: ["owner", "repo"],
    },
    valid: [{ owner: "a", repo: "b", page: 1, labels: [{ name: "bug" }] }],
    invalid: [
      [{ owner: "a" }, "repo"],
      [{ owner: "a", repo: "b", perPage: 101 }, "perPage"],
      [{ owner: "a", repo: "b", sort: "create" }, "sort"],
    ],
  },
  {
    name: "OpenAPI 3.0: nullable, excluded bounds, shared components, formats",
    schema: {
      type: "object",
      properties: {
        filter: { $ref: "#/components/schemas/Filter" },
        note: { type: "string", nullable: true },
        state: { type: "string", nullable: true, enum: ["on", "off"] },
        owner: { nullable: true, allOf: [{ $ref: "#/components/schemas/User" }] },
        ratio: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false },
        id: { type: "integer", format: "int64", maximum: 2 ** 63 },
      },
      required: ["filter"],
      components: {
        schemas: {
          Filter: {
            type: "object",
            properties: { and: { type: "array", items: { $ref: "#/components/schemas/Filter" } } },
          },
          User: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
      },
    },
    valid: [{ filter: { and: [{ and: [] }] }, note: null, state: null, owner: null, ratio: 1, id: 5 }],
    invalid: [
      [{ filter: { and: [{ and: 1 }] } }, "filter.and.0.and"],
      [{ filter: {}, ratio: 0 }, "ratio"],
      [{ filter: {}, owner: {} }, "owner.name"],
      [{ filter: {}, state: "of" }, "state"],
    ],
  },
  {
    name: "JSON Forms and form builders: conditions, dependencies, draft 7 tuples",
    schema: {
      $schema: DRAFT_7,
      type: "object",
      properties: {
        country: { type: "string", enum: ["DE", "US"] },
        state: { type: "string" },
        credit_card: { type: "string" },
        billing_address: { type: "string" },
        range: { type: "array", items: [{ type: "integer" }, { type: "integer" }], additionalItems: false },
      },
      if: { properties: { country: { const: "US" } }, required: ["country"] },
      then: { required: ["state"] },
      dependencies: { credit_card: ["billing_address"] },
    },
    valid: [{ country: "DE" }, { country: "US", state: "CA" }, { range: [1, 2] }, { range: [1] }],
    invalid: [
      [{ country: "US" }, "state"],
      [{ credit_card: "1" }, ""],
      [{ range: [1, 2, 3] }, "range.2"],
    ],
  },
  {
    name: "Rust and schemars: nullable lists of types, unsigned integers, one-of enumerations",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "SearchRequest",
      type: "object",
      properties: {
        limit: { type: ["integer", "null"], format: "uint32", minimum: 0 },
        max: { type: "integer", format: "uint64", minimum: 0, maximum: 2 ** 64 },
        mode: {
          oneOf: [
            { description: "Exact.", type: "string", const: "exact" },
            { description: "Fuzzy.", type: "string", enum: ["fuzzy"] },
          ],
        },
      },
    },
    valid: [{ limit: null, max: 7, mode: "fuzzy" }],
    invalid: [
      [{ limit: -1 }, "limit"],
      [{ mode: "exactly" }, "mode"],
    ],
  },
  {
    name: "Go and .NET: $id, $anchor, definitions by address",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://schemas.example.com/move",
      $defs: {
        position: { $id: "position", type: "object", properties: { x: { type: "number" } }, required: ["x"] },
        speed: { $anchor: "speed", type: "number", minimum: 0 },
      },
      type: "object",
      properties: {
        to: { $ref: "https://schemas.example.com/position" },
        via: { type: "array", items: { $ref: "position" } },
        speed: { $ref: "#speed" },
      },
      required: ["to"],
      additionalProperties: false,
    },
    valid: [{ to: { x: 1 }, via: [{ x: 2 }], speed: 3 }],
    invalid: [
      [{ to: {} }, "to.x"],
      [{ to: { x: 1 }, via: [{}] }, "via.0.x"],
      [{ to: { x: 1 }, speed: -1 }, "speed"],
    ],
  },
  {
    name: "a union at the root: one of two ways to name a record",
    schema: {
      anyOf: [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      ],
    },
    valid: [{ id: 1 }, { name: "a" }],
    invalid: [[{}, ""]],
  },
  {
    name: "OData: names that models cannot use",
    schema: {
      type: "object",
      properties: {
        $top: { type: "integer", minimum: 1 },
        $filter: { type: "string" },
        "filter[name]": { type: "string" },
        "@odata.type": { type: "string" },
        ["settings__".repeat(9)]: { type: "boolean" },
      },
      required: ["$top"],
      additionalProperties: false,
    },
    valid: [{ $top: 1, $filter: "a eq 1", "filter[name]": "x" }],
    invalid: [[{ $top: 0 }, "$top"]],
  },
  {
    name: "hand-written: no type, unknown types, other flavours of patterns, a remote reference",
    schema: {
      properties: {
        count: { type: "int" },
        name: { type: "string", pattern: "(?i)^[a-z]+$" },
        slug: { type: "string", pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" },
        list: { type: "array" },
        any: {},
        yes: true,
        place: { $ref: "https://geojson.example/Point.json" },
      },
      required: ["count"],
    },
    valid: [{ count: "many", name: "A1", slug: "-", list: [1, "a"], any: null, yes: 1, place: 3 }],
    invalid: [
      [{}, "count"],
      [{ count: 1, list: {} }, "list"],
    ],
    dropped: [
      "/properties/count/type",
      "/properties/name/pattern",
      "/properties/slug/pattern",
      "/properties/place/$ref",
    ],
  },
  {
    name: "no parameters, without properties",
    schema: { type: "object" },
    valid: [{}, { a: 1 }],
    invalid: [],
  },
  {
    name: "no parameters, closed",
    schema: { type: "object", properties: {}, additionalProperties: false, $schema: DRAFT_7 },
    valid: [{}],
    invalid: [[{ a: 1 }, ""]],
  },
  {
    name: "a map with patterns of names",
    schema: {
      type: "object",
      properties: { kind: { type: "string" } },
      patternProperties: { "^x-": { type: "string" }, "^(y+)+$": { type: "integer" } },
      additionalProperties: false,
    },
    // Without the second pattern, no name can be refused.
    valid: [{ kind: "a", "x-a": "b", yyy: "not checked" }],
    invalid: [[{ "x-a": 1 }, "*"]],
    dropped: ["/patternProperties/^(y+)+$", "/additionalProperties"],
  },
];
