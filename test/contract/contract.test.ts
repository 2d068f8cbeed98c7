// The operation table and the tool definitions against the published contract (`operations.json`, `catalog.json`).
import { describe, expect, test } from "bun:test";
import { catalogs } from "../../catalogs";
import { operations } from "../../server/operations";
import catalogContract from "./catalog.json";
import operationContract from "./operations.json";

interface OperationContract {
  operationId: string;
  statuses: string[];
  query: string[];
}
interface ToolContract {
  parameters: Record<string, { type: string; required: boolean; default?: unknown; maximum?: number }>;
  deprecated?: boolean;
  replacement?: string;
}

const publishedOperations: Record<string, OperationContract> = operationContract;
const publishedTools: Record<string, ToolContract> = catalogContract;

describe("operations", () => {
  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "%s is the published one",
    (name, operation) => {
      const published = publishedOperations[name];
      const declared = [operation.success.status, ...operation.errors].map(String);
      expect(operation.id).toBe(published?.operationId ?? "no such operation");
      expect(Object.keys(operation.query?.properties ?? {}).toSorted()).toEqual(
        (published?.query ?? []).toSorted(),
      );
      for (const status of published?.statuses ?? []) expect(declared).toContain(status);
    },
  );

  test("no operation id stands twice", () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("tools", () => {
  const tools = catalogs.flatMap(({ toolkit, tools: definitions }) =>
    definitions.map((definition) => [`${toolkit.name}.${definition.name}`, definition] as const),
  );

  test.each(tools)("%s is the published one", (name, definition) => {
    const published = publishedTools[name];
    const required = definition.input.required ?? [];
    const parameters = Object.entries(definition.input.properties).map(([parameter, schema]) => [
      parameter,
      { required: required.includes(parameter), ...pick(schema, "default"), ...pick(schema, "maximum") },
    ]);
    const expected = Object.entries(published?.parameters ?? {}).map(([parameter, row]) => [
      parameter,
      { required: row.required, ...pick(row, "default"), ...pick(row, "maximum") },
    ]);
    expect(Object.fromEntries(parameters)).toEqual(Object.fromEntries(expected));
    expect(definition.replacement).toBe(published?.replacement);
  });
});

function pick(object: object, key: "default" | "maximum"): object {
  const value: unknown = Object.entries(object).find(([name]) => name === key)?.[1];
  return value === undefined ? {} : { [key]: value };
}
