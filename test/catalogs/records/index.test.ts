// What the records catalog declares, against the published list of tools and the platform's scopes.
import { describe, expect, test } from "bun:test";
import { recordsCatalog } from "../../../catalogs/records";
import { isObject } from "../../../src/base";
import published from "../../contract/catalog.json";
import { ALL, named, type Row } from "./rows";
import { tool } from "./run";

const PREFIX = "VendorCreatorApi.";
const EXPECTED = Object.entries(published).filter(([name]) => name.startsWith(PREFIX));

/** A parameter in the words of the published list. */
function described(schema: unknown, required: boolean): object {
  if (!isObject(schema)) throw new Error("No schema.");
  const { type, enum: values, maximum } = schema;
  return {
    type: Array.isArray(values) ? "enum:ToolMode" : type,
    required,
    ...(Array.isArray(values) ? { values } : {}),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

test("the toolkit", () => {
  expect(recordsCatalog.toolkit).toMatchObject({ name: "VendorCreatorApi", version: "1.0.0" });
  const { name, setting, origins } = recordsCatalog.bases["api"]?.secret ?? {};
  expect([name, setting]).toEqual(["VENDOR_SERVER_URL", "records.server_urls"]);
  expect(origins).toContain("https://www.zohoapis.eu");
  expect(origins).not.toContain("https://creator.zoho.eu");
  expect(recordsCatalog.tokenScheme).toBe("Zoho-oauthtoken");
});

test("these nineteen tools and no others", () => {
  expect(EXPECTED).toHaveLength(19);
  const names = recordsCatalog.tools.map(({ name }) => PREFIX + name);
  expect(names.toSorted()).toEqual(EXPECTED.map(([name]) => name).toSorted());
});

test.each(EXPECTED)("%s has the published parameters and secrets", (name, { parameters, ...rest }) => {
  const { input, secrets } = tool(name.slice(PREFIX.length));
  const own = Object.entries(input.properties).map(([key, schema]) => [
    key,
    described(schema, input.required?.includes(key) === true),
  ]);
  expect(Object.fromEntries(own)).toEqual(parameters);
  expect(secrets).toEqual("secrets" in rest ? rest.secrets : []);
});

test.each(named(ALL))("%s requires only its own scope", (name, { scope }) => {
  const { authorization } = tool(name);
  expect(authorization).toEqual({
    provider: "zoho",
    scopes: scope === undefined ? [] : [`ZohoCreator.${scope}`],
  });
});

test("all parameters and tools have different descriptions", () => {
  for (const { input, description } of recordsCatalog.tools) {
    expect(description.length).toBeGreaterThan(40);
    for (const schema of Object.values(input.properties)) expect(schema).toHaveProperty("description");
  }
});

describe("metadata", () => {
  const behaviorOf = (name: string) => tool(name).metadata.behavior;
  const reads = (row: Row): boolean => row.method === "GET";

  test.each(named(ALL.filter(reads)))("%s only reads", (name) => {
    expect(behaviorOf(name)).toEqual({
      operations: ["read"],
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: true,
    });
  });

  test.each([
    ["AddRecordsToVendorForm", "create", false, false],
    ["InsertRecordsInVendorForm", "create", false, false],
    ["CreateBulkReadJob", "create", false, false],
    ["UpdateVendorCreatorReportRecords", "update", true, false],
    ["UpdateVendorRecord", "update", true, true],
    ["DeleteReportRecords", "delete", true, false],
    ["DeleteVendorRecord", "delete", true, true],
  ] as const)("%s", (name, operation, destructive, idempotent) => {
    expect(behaviorOf(name)).toEqual({
      operations: [operation],
      read_only: false,
      destructive,
      idempotent,
      open_world: true,
    });
  });
});
