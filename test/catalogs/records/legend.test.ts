// Numbers of the platform come with words.
import { expect, test } from "bun:test";
import { FIELD_TYPES, legendText, withWords } from "../../../catalogs/records/legend";
import { rowOf } from "./rows";
import { tool, User } from "./run";
import { Stub } from "./stub";

const run = async (name: string, body: object): Promise<unknown> => {
  await using stub = new Stub({ body: JSON.stringify({ code: 3000, ...body }) });
  return await new User({ token: "1000.a.b", serverUrl: stub.url }).run(name, rowOf(name).input);
};

test.each([
  [
    "FetchVendorFormFieldsMetadata",
    {
      fields: [
        { link_name: "No", type: 9 },
        { link_name: "New", type: 99 },
      ],
    },
    { fields: [{ type: 9, type_name: "auto number" }, { type: 99 }] },
  ],
  [
    "FetchVendorAppSections",
    { sections: [{ components: [{ type: 2 }, { type: 3 }] }] },
    { sections: [{ components: [{ type_name: "report" }, { type_name: "page" }] }] },
  ],
  ["FetchVendorFormMetaInformation", { forms: [{ type: 2 }] }, { forms: [{ type_name: "stateless form" }] }],
  [
    "GetApplicationMetaInfo",
    { applications: [{ category: 1 }] },
    { applications: [{ category: 1, category_name: "own" }] },
  ],
])("%s", async (name, body, expected) => {
  expect(await run(name, body)).toMatchObject({ response_json: expected });
});

test("a number without a word, and an answer of another form, are unchanged", () => {
  const legend = { path: ["fields"], key: "type", words: FIELD_TYPES };
  for (const answer of [{ fields: [{ type: 99 }, { type: "text" }, 5] }, { fields: {} }, {}])
    expect(withWords(answer, legend)).toEqual(answer);
});

test("the reference of the fields has the legend", () => {
  expect(JSON.stringify(tool("FetchVendorFormFieldsMetadata").output)).toContain(legendText(FIELD_TYPES));
});
