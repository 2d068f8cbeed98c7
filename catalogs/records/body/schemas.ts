// The request bodies, as JSON Schema. They follow the platform's published interface, tightened where its help pages
// say more (what must be there, and how much).
import { type TSchema, Type } from "typebox";
import { MOST_RECORDS } from "../limits";

/** A body, under the name that the tables use. */
export type RequestBody = keyof typeof BODIES;

const VALUES =
  "Field link name → value. Text is text, several choices are a list, a lookup is the id of the other record, a " +
  "subform is a list of objects, a composite field (a name, an address) is an object, a date is text in the " +
  "application's date format. Formulas, auto-numbers, files and signatures cannot be written.";

const record = (description: string, example: object) =>
  Type.Object({}, { additionalProperties: true, description, examples: [example] });

const message = Type.Optional(Type.Boolean({ description: "Whether a message is told for each record." }));
const tasks = Type.Optional(
  Type.Boolean({
    description: "Whether the tasks that the form starts are told, such as an address to open.",
  }),
);
const fields = Type.Optional(
  Type.Array(Type.String(), {
    description: "Link names of fields whose values are told for each record.",
    examples: [["Name", "Status"]],
  }),
);

const told = (members: Record<string, TSchema>, example: object) =>
  Type.Optional(
    Type.Object(members, {
      description: "What is told about each record beside its id.",
      examples: [example],
    }),
  );
const toldOfChanged = told({ fields, message, tasks }, { fields: ["Name"], message: true });
const toldOfDeleted = told({ message, tasks }, { message: true });

const criteria = (what: string) =>
  Type.String({
    pattern: "\\S",
    description:
      `Which records are ${what}: Field_Link_Name operator value, joined by && and ||; text in double quotes, ` +
      "dates in single quotes. `ID != 0` means all of them.",
    examples: ['Status == "Open" && Amount < 100'],
  });

const adding = Type.Object(
  {
    data: Type.Array(record(VALUES, { Name: "Desk", Amount: 12 }), {
      minItems: 1,
      maxItems: MOST_RECORDS,
      description: "The records to add.",
      examples: [
        [
          { Name: "Desk", Amount: 12 },
          { Name: "Lamp", Tags: ["new", "fragile"] },
        ],
      ],
    }),
    result: toldOfChanged,
  },
  { examples: [{ data: [{ Name: "Desk", Amount: 12 }], result: { fields: ["Name"], message: true } }] },
);

const updatingMatching = Type.Object(
  {
    criteria: criteria("changed"),
    data: record(`The new values. ${VALUES}`, { Status: "Closed" }),
    result: toldOfChanged,
  },
  { examples: [{ criteria: 'Status == "Open"', data: { Status: "Closed" }, result: { message: true } }] },
);

const updatingOne = Type.Object(
  { data: record(`The new values. ${VALUES}`, { Status: "Closed" }), result: toldOfChanged },
  { examples: [{ data: { Status: "Closed" }, result: { message: true } }] },
);

const deletingMatching = Type.Object(
  { criteria: criteria("deleted"), result: toldOfDeleted },
  { examples: [{ criteria: "ID == 3888833000000114027", result: { message: true } }] },
);

const deletingOne = Type.Object(
  { result: toldOfDeleted },
  { description: "An empty object will do.", examples: [{}, { result: { message: true } }] },
);

const exporting = Type.Object(
  {
    query: Type.Optional(
      Type.Object(
        {
          criteria: Type.Optional(
            Type.String({
              description: "Which records are exported; all without it.",
              examples: ["Amount >= 100"],
            }),
          ),
          fields: Type.Optional(
            Type.Array(Type.String(), {
              description: "Link names of the fields to export; all columns of the report without it.",
              examples: [["Name", "Amount"]],
            }),
          ),
          max_records: Type.Optional(
            Type.Integer({
              minimum: 100_000,
              maximum: 200_000,
              multipleOf: 1000,
              description: "How many records at most, in thousands. The default is 100000.",
              examples: [150_000],
            }),
          ),
          record_cursor: Type.Optional(
            Type.String({
              description:
                "Continues an earlier job: `details.result.record_cursor` of GetBulkReadJobDetails, good for about " +
                "15 minutes. Nothing else may stand beside it.",
            }),
          ),
        },
        {
          dependentSchemas: { record_cursor: { maxProperties: 1 } },
          description: "What is exported.",
          examples: [{ criteria: "Amount >= 100", fields: ["Name", "Amount"] }],
        },
      ),
    ),
  },
  {
    examples: [
      { query: { criteria: "Amount >= 100", fields: ["Name", "Amount"], max_records: 150_000 } },
      {},
    ],
  },
);

export const BODIES = {
  adding,
  updatingMatching,
  updatingOne,
  deletingMatching,
  deletingOne,
  exporting,
} satisfies Record<string, TSchema>;

/** The schema as plain data, for callers. */
export function publishedSchema(body: RequestBody): object {
  return structuredClone(BODIES[body]);
}
