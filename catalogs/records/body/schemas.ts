// The request bodies as JSON Schema. They follow the platform's published API, with the required fields and limits of its
// help pages.
import { type TSchema, Type } from "typebox";
import { MAX_RECORDS } from "../limits";

/** The name of a body, as used in the operation tables. */
export type RequestBody = keyof typeof BODIES;

const VALUES =
  "Field link name → value. Text is text, several choices are a list, a lookup is the id of the other record, a " +
  "subform is a list of objects, a composite field (a name, an address) is an object, a date is text in the " +
  "application's date format. Formulas, auto-numbers, files and signatures cannot be written.";

const record = (description: string, example: object) =>
  Type.Object({}, { additionalProperties: true, description, examples: [example] });

const message = Type.Optional(Type.Boolean({ description: "Whether to return a message for each record." }));
const tasks = Type.Optional(
  Type.Boolean({
    description: "Whether to return the tasks that the form starts, such as an address to open.",
  }),
);
const fields = Type.Optional(
  Type.Array(Type.String(), {
    description: "Link names of the fields to return for each record.",
    examples: [["Name", "Status"]],
  }),
);

const resultOptions = (members: Record<string, TSchema>, example: object) =>
  Type.Optional(
    Type.Object(members, {
      description: "What to return for each record in addition to its id.",
      examples: [example],
    }),
  );
const changedResult = resultOptions({ fields, message, tasks }, { fields: ["Name"], message: true });
const deletedResult = resultOptions({ message, tasks }, { message: true });

const criteria = (action: string) =>
  Type.String({
    pattern: "\\S",
    description:
      `Which records are ${action}: Field_Link_Name operator value, joined by && and ||; text in double quotes, ` +
      "dates in single quotes; parts of names and addresses follow a dot (`Name.last_name`). `ID != 0` means all of them.",
    examples: ["ID == 3888833000000114027", 'Status == "Open" && Amount < 100'],
  });

const adding = Type.Object(
  {
    data: Type.Array(record(VALUES, { Name: "Desk", Amount: 12 }), {
      minItems: 1,
      maxItems: MAX_RECORDS,
      description: "The records to add.",
      examples: [
        [
          { Name: "Desk", Amount: 12 },
          { Name: "Lamp", Tags: ["new", "fragile"] },
        ],
      ],
    }),
    result: changedResult,
  },
  { examples: [{ data: [{ Name: "Desk", Amount: 12 }], result: { fields: ["Name"], message: true } }] },
);

const updatingMatching = Type.Object(
  {
    criteria: criteria("changed"),
    data: record(`The new values. ${VALUES}`, { Status: "Closed" }),
    result: changedResult,
  },
  { examples: [{ criteria: 'Status == "Open"', data: { Status: "Closed" }, result: { message: true } }] },
);

const updatingOne = Type.Object(
  { data: record(`The new values. ${VALUES}`, { Status: "Closed" }), result: changedResult },
  { examples: [{ data: { Status: "Closed" }, result: { message: true } }] },
);

const deletingMatching = Type.Object(
  { criteria: criteria("deleted"), result: deletedResult },
  { examples: [{ criteria: "ID == 3888833000000114027", result: { message: true } }] },
);

const deletingOne = Type.Object(
  { result: deletedResult },
  { description: "Can be an empty object.", examples: [{}, { result: { message: true } }] },
);

const exporting = Type.Object(
  {
    query: Type.Optional(
      Type.Object(
        {
          criteria: Type.Optional(
            Type.String({
              description: "Which records to export. Default: all.",
              examples: ["Amount >= 100"],
            }),
          ),
          fields: Type.Optional(
            Type.Array(Type.String(), {
              description: "Link names of the fields to export. Default: all columns of the report.",
              examples: [["Name", "Amount"]],
            }),
          ),
          max_records: Type.Optional(
            Type.Integer({
              minimum: 100_000,
              maximum: 200_000,
              multipleOf: 1000,
              description: "Maximum number of records, a multiple of 1000. Default: 100000.",
              examples: [150_000],
            }),
          ),
          record_cursor: Type.Optional(
            Type.String({
              description:
                "Continues an earlier job: `details.result.record_cursor` of GetBulkReadJobDetails, valid for about 15 " +
                "minutes. Cannot be combined with other fields.",
            }),
          ),
        },
        {
          dependentSchemas: { record_cursor: { maxProperties: 1 } },
          description: "What to export.",
          examples: [{ criteria: "Amount >= 100", fields: ["Name", "Amount"] }],
        },
      ),
    ),
  },
  {
    examples: [
      {},
      { query: { criteria: "Amount >= 100", fields: ["Name", "Amount"], max_records: 150_000 } },
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
