// What the spreadsheet catalog declares, against the published contract.
import { describe, expect, test } from "bun:test";
import { extensions } from "../../../catalogs";
import { sheetsCatalog } from "../../../catalogs/sheets";
import { isObject } from "../../../src/base";
import { toolRecord } from "../../../src/tools/document";
import { formatted } from "../../../src/tools/formats";
import { FORMATS } from "../../../src/tools/schema";
import { Registry } from "../../../src/tools/registry";
import contract from "../../contract/catalog.json";
import { tool } from "./run";

const SCOPE_BASE = "https://www.googleapis.com/auth";
const NAMES = [
  "CreateSpreadsheet",
  "WriteToCell",
  "UpdateCells",
  "AddNoteToCell",
  "SearchSpreadsheets",
  "WhoAmI",
  "GenerateGoogleFilePickerUrl",
  "GetSpreadsheet",
  "GetSpreadsheetMetadata",
];

interface Published {
  parameters: Record<string, Record<string, unknown>>;
  scopes: string[];
}
const published = (name: string): Published => {
  const entry = Object.entries(contract).find(([key]) => key === `Sheets.${name}`)?.[1];
  if (entry === undefined || !("scopes" in entry)) throw new Error(`Sheets.${name} is not published.`);
  return { parameters: { ...entry.parameters }, scopes: entry.scopes };
};

/** What the contract tells of a parameter, read from its schema. */
function row(schema: unknown, required: boolean): Record<string, unknown> {
  if (!isObject(schema)) throw new Error("A parameter is a schema.");
  const told = ["default", "maximum"].filter((key) => key in schema);
  return { type: typeOf(schema), required, ...Object.fromEntries(told.map((key) => [key, schema[key]])) };
}

/** A list of values to choose from stands for one of them too. */
function typeOf(schema: { [key: string]: unknown }): unknown {
  const { items } = schema;
  return isObject(items) && "enum" in items ? "enum:OrderBy" : schema["type"];
}

test("the catalog is one of those that the runtime ships", () => {
  expect(extensions.catalogs.includes(sheetsCatalog)).toBe(true);
  expect(sheetsCatalog.toolkit).toMatchObject({ name: "Sheets", version: "1.0.0" });
  expect(sheetsCatalog.bases).toEqual({
    sheets: { url: "https://sheets.googleapis.com", setting: "sheets.api_url" },
    drive: { url: "https://www.googleapis.com", setting: "drive.api_url" },
    userinfo: { url: "https://openidconnect.googleapis.com/v1/userinfo", setting: "userinfo.url" },
  });
  expect(sheetsCatalog.tools.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});

describe.each(NAMES)("%s", (name) => {
  const definition = tool(name);
  const { properties } = definition.input;
  const required: readonly string[] = definition.input.required ?? [];

  test("has the published parameters, defaults and limits", () => {
    const rows = Object.entries(properties).map(([parameter, schema]) => [
      parameter,
      row(schema, required.includes(parameter)),
    ]);
    const expected = Object.entries(published(name).parameters).map(([parameter, told]) => {
      const { minimum: _, ...rest } = told;
      return [parameter, rest];
    });
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
  });

  const limited = Object.entries(published(name).parameters).filter(([, told]) => "minimum" in told);
  if (limited.length > 0) {
    test.each(limited)("has the published lower limit of %s", (parameter, { minimum }) => {
      expect(properties[parameter]).toMatchObject({ minimum });
    });
  }

  test("needs the published scopes of the preset's provider", () => {
    const scopes = published(name).scopes.map((scope) => scope.replace("{scope_base}", SCOPE_BASE));
    expect(definition.authorization).toEqual({ provider: "google", scopes });
  });

  test("describes itself and every parameter", () => {
    expect(definition.description.length).toBeGreaterThan(40);
    for (const schema of Object.values(properties)) expect(schema).toHaveProperty("description");
    expect(definition.metadata.classification).toEqual({ service_domains: ["spreadsheets"] });
  });

  const listed = listedOf(name);
  const lists = toolRecord(listed).input.parameters.filter(
    ({ value_schema: { val_type } }) => val_type === "array",
  );
  const withLists = FORMATS.filter((format) => listsIn(formatted(listed, format)).length > 0);

  if (lists.length > 0) {
    test.each(lists)("has the type of the items of $name", ({ value_schema: schema }) => {
      expect(schema.inner_val_type).toBe("string");
    });
  }

  if (withLists.length > 0) {
    test.each(withLists)("has the type of its items at every list in %s", (format) => {
      for (const list of listsIn(formatted(listed, format))) expect(list).toHaveProperty("items");
    });
  }
});

test("the lists that are checked are found", () => {
  const search = listedOf("SearchSpreadsheets");
  const found = FORMATS.filter((format) => listsIn(formatted(search, format)).length > 0);
  expect(found).toEqual(["openai", "anthropic", "gemini", "mcp"]);
});

function listedOf(name: string) {
  const [listed] = new Registry([{ ...sheetsCatalog, tools: [tool(name)] }]).tools;
  if (listed === undefined) throw new Error(`${name} is not listed.`);
  return listed;
}

/** Every schema of a list, wherever it stands. */
function listsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(listsIn);
  if (!isObject(value)) return [];
  const inner = Object.values(value).flatMap(listsIn);
  return value["type"] === "array" ? [value, ...inner] : inner;
}

test("orders are the 22 values, ascending and descending", () => {
  const schema: unknown = tool("SearchSpreadsheets").input.properties["order_by"];
  const keys =
    "createdTime folder modifiedByMeTime modifiedTime name name_natural quotaBytesUsed recency sharedWithMeTime starred viewedByMeTime";
  const values = keys.split(" ").flatMap((key) => [key, `${key} desc`]);
  expect(values).toHaveLength(22);
  expect(schema).toMatchObject({ type: "array", items: { enum: values } });
});

describe("metadata", () => {
  const behaviorOf = (name: string) => tool(name).metadata.behavior;

  test.each(["GetSpreadsheet", "GetSpreadsheetMetadata", "SearchSpreadsheets", "WhoAmI"])(
    "%s only reads",
    (name) => {
      expect(behaviorOf(name)).toEqual({
        operations: ["read"],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: true,
      });
    },
  );

  test.each(["WriteToCell", "UpdateCells", "AddNoteToCell"])("%s overwrites and is idempotent", (name) => {
    expect(behaviorOf(name)).toEqual({
      operations: ["update"],
      read_only: false,
      destructive: true,
      idempotent: true,
      open_world: true,
    });
  });

  test("CreateSpreadsheet creates something with every call", () => {
    expect(behaviorOf("CreateSpreadsheet")).toMatchObject({
      operations: ["create"],
      read_only: false,
      idempotent: false,
    });
  });

  test("the picker's link counts as a read", () => {
    expect(behaviorOf("GenerateGoogleFilePickerUrl")).toEqual(behaviorOf("SearchSpreadsheets"));
  });
});
