// The tool definitions against the published contract (`catalog.json`).
import { describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import catalogContract from "./catalog.json";

interface ToolContract {
  parameters: Record<string, { type: string; required: boolean; default?: unknown; maximum?: number }>;
  deprecated?: boolean;
  replacement?: string;
}

const publishedTools: Record<string, ToolContract> = catalogContract;

describe("tools", () => {
  const tools = extensions.catalogs.flatMap(({ toolkit, tools: definitions }) =>
    definitions.map((definition) => [`${toolkit.name}.${definition.name}`, definition] as const),
  );

  test.each(tools)("%s is the published one", (name, definition) => {
    const published = publishedTools[name];
    const required = definition.input.required ?? [];
    const parameters = Object.entries(definition.input.properties).map(([parameter, schema]) => [
      parameter,
      {
        required: required.includes(parameter),
        ...pick(schema, "default"),
        // The end of a range into which values are moved is not in the schema.
        ...pick({ ...schema, ...definition.clamps?.[parameter] }, "maximum"),
      },
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
