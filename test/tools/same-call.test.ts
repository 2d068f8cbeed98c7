// Which calls of a model are the same under one Idempotency-Key.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { type Catalog, defineTool, meantCall } from "../../src/tools";
import { Registry } from "../../src/tools/registry";

/** A tool that writes, in a version. */
function toolOf(version: string, more: Record<string, ReturnType<typeof Type.Integer>> = {}) {
  const definition = defineTool({
    name: "Write",
    description: "Writes.",
    input: Type.Object({
      text: Type.String({ description: "The text." }),
      limit: Type.Integer({ description: "How much.", default: 5 }),
      ...more,
    }),
    output: Type.Unknown(),
    metadata: {
      behavior: {
        operations: ["create"],
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
      },
    },
    run: async () => null,
  });
  const kit: Catalog = { toolkit: { name: "Kit", description: "", version }, bases: {}, tools: [definition] };
  const [tool] = new Registry([kit]).tools;
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

const TOOL = toolOf("1.0.0");
const FIRST = meantCall(TOOL, { text: "x" });

test.each<[string, object]>([
  ["a default that is written out", { text: "x", limit: 5 }],
  ["a default as text", { text: "x", limit: "5" }],
  ["null", { limit: null, text: "x" }],
])("%s is the same as nothing", (_what, input) => {
  expect(meantCall(TOOL, { ...input })).toBe(FIRST);
});

test("a version with one more parameter that has a default is the same", () => {
  const newer = toolOf("2.0.0", { more: Type.Integer({ description: "More.", default: 1 }) });

  expect(meantCall(newer, { text: "x" })).toBe(FIRST);
});

test.each<[string, object]>([
  ["another text", { text: "y" }],
  ["another number", { text: "x", limit: 6 }],
  ["an input that is not valid", { text: "x", unknown: 1 }],
])("%s is another call", (_what, input) => {
  expect(meantCall(TOOL, { ...input })).not.toBe(FIRST);
});
