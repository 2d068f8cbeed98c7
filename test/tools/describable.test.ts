// Described types: a catalog whose described types are not the checked ones does not start; outputs are described.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { chatCatalog } from "../../catalogs/chat";
import { formatted } from "../../src/tools";
import { Registry } from "../../src/tools/registry";

const withLevel = (level: ReturnType<typeof Type.Unsafe>) => {
  const [first] = chatCatalog.tools;
  if (first === undefined) throw new Error("The catalog has no tools.");
  return { ...chatCatalog, tools: [{ ...first, input: Type.Object({ level }) }] };
};

test.each([
  ["of numbers", Type.Unsafe({ enum: [1, 2, 3] })],
  ["of numbers and texts", Type.Unsafe({ enum: ["low", 2] })],
  ["of numbers, in a list", Type.Unsafe({ type: "array", items: { enum: [1, 2] } })],
])("refuses a parameter with values %s", (_, level) => {
  expect(() => new Registry([withLevel(level)])).toThrow("level has a list of values that are not text");
});

test("takes a parameter with values that are texts", () => {
  expect(() => new Registry([withLevel(Type.Unsafe({ enum: ["low", "high"] }))])).not.toThrow();
});

test("the MCP format describes the output as gateways do", () => {
  const [tool] = new Registry([chatCatalog]).tools;
  if (tool === undefined) throw new Error("The catalog has no tools.");
  expect(formatted(tool, "mcp")).toMatchObject({ outputSchema: { type: "object" } });
});
