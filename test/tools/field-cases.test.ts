// Faults that users of such systems reported of schemas and of what models send for them: each input of each row, with the
// tests that keep it away. A row that loses a test, or a row that is missing, fails here.
import { expect, test } from "bun:test";
import { join } from "node:path";

const HERE = import.meta.dir;
/** The rows of this part, with how many inputs each has. */
const PART: Readonly<Record<string, number>> = { F040: 2, F041: 3, F042: 3, F044: 3, F045: 4 };

type Row = readonly [
  id: keyof typeof PART,
  input: string,
  tests: readonly (readonly [file: string, name: string])[],
];

const SCHEMAS = "field/schemas.test.ts";
const TYPING = "field/typing.test.ts";

const ROWS: readonly Row[] = [
  [
    "F040",
    "a tool with $defs and $ref, in three formats",
    [
      [SCHEMAS, "are written out in %s: the schema stands alone"],
      [SCHEMAS, "in %s mean what they meant"],
      [SCHEMAS, "leave the stored schema as it is: the tool checks every level of it"],
      ["formats.test.ts", "are written out in %s"],
    ],
  ],
  [
    "F040",
    "one that refers to itself",
    [
      [SCHEMAS, "are written out in %s: the schema stands alone"],
      ["formats.test.ts", "of a schema to itself end after two rounds, with the same type"],
      ["formats.test.ts", "that multiply are cut: the schema stays small enough to send"],
    ],
  ],
  [
    "F041",
    "Sheets.UpdateCells with an optional sheet_position",
    [[SCHEMAS, "has no need to be in %s: what is optional is not required"]],
  ],
  ["F041", "a tool with an open object", [[SCHEMAS, "is claimed by no document of any format"]]],
  [
    "F041",
    "null from the model",
    [
      [SCHEMAS, "null from a model is the default, and an open object takes anything"],
      [TYPING, "with null for what is optional uses the default (F041)"],
    ],
  ],
  [
    "F042",
    "unknown keywords at every depth",
    [
      [SCHEMAS, "gets what it does not know in words that it does, at every depth"],
      ["formats-gemini.test.ts", "of whatever form holds known keywords only"],
    ],
  ],
  ["F042", "a list of types with null", [["formats-gemini.test.ts", '"a type or null"']]],
  ["F042", "execution", [[SCHEMAS, "is not what the tool checks: that is the full schema"]]],
  ["F044", "Chat.WhoAmI in every format", [[SCHEMAS, "has in %s what the vendor takes"]]],
  [
    "F044",
    "required without properties, empty properties",
    [
      [
        SCHEMAS,
        "and no document requires what it has no properties for, or, in gemini, has empty properties",
      ],
    ],
  ],
  ["F044", "running it", [[SCHEMAS, "runs with an empty input and with none"]]],
  [
    "F045",
    'Chat.ListUsers {"exclude_bots":"false","limit":"50"}',
    [
      [TYPING, "with %j lists bots: %p"],
      [TYPING, "refuses by the name %s what is none: %j"],
    ],
  ],
  ["F045", "Chat.GetUsersInfo with emails as text", [[TYPING, '"a list as text"']]],
  [
    "F045",
    "VendorCreatorApi.UpdateVendorRecord with request_body as an object, and encoded twice",
    [[TYPING, "refuses %s by the name of the field, and sends nothing"]],
  ],
  [
    "F045",
    "text that looks like something else",
    [[TYPING, "keeps a text in it that looks like something else a text"]],
  ],
];

test("each row of the part is here, with all its inputs", () => {
  const found = Object.fromEntries(
    Object.keys(PART).map((id) => [id, ROWS.filter(([of]) => of === id).length]),
  );
  expect(found).toEqual({ ...PART });
});

test.each(ROWS.map((row) => [...row]))("%s (%s) has its tests", async (_id, _input, tests) => {
  expect(tests.length).toBeGreaterThan(0);
  for (const [file, name] of tests) {
    const text = await Bun.file(join(HERE, file)).text();
    expect({ file, name, found: text.includes(name) }).toEqual({ file, name, found: true });
  }
});
