// From a tool in a stored catalog to a definition.
import { expect, test } from "bun:test";
import { definitionOf } from "../../../src/workers/foreign";
import type { WorkerTool } from "../../../src/workers/tool";

const tool: WorkerTool = {
  upstream: "get-sum",
  name: "get_sum",
  description: "Adds.",
  input: { type: "object" },
  metadata: {
    behavior: {
      operations: ["opaque"],
      read_only: false,
      destructive: true,
      idempotent: false,
      open_world: true,
    },
  },
  authorization: { id: "record", scopes: ["a"] },
  secrets: ["WORD"],
  notInferrable: ["account"],
  deprecation: "Use another one.",
  original: { title: "Sum" },
  reserved: "prompt",
};
const run = async () => null;

test("has everything that the tool has", () => {
  expect(definitionOf(tool, run)).toEqual({
    name: "get_sum",
    description: "Adds.",
    input: { type: "object", properties: {} },
    output: expect.anything(),
    foreign: true,
    metadata: tool.metadata,
    authorization: { provider: "record", id: "record", scopes: ["a"] },
    secrets: ["WORD"],
    notInferrable: ["account"],
    deprecation: "Use another one.",
    original: { title: "Sum" },
    reserved: "prompt",
    run,
  } as never);
});

test("shares the schemas of the tool", () => {
  const input = { type: "object", properties: { a: { type: "string" } } };
  const output = { type: "integer" };
  const definition = definitionOf({ ...tool, input, output }, run);
  expect(definition.input as object).toBe(input);
  expect(definition.output as object).toBe(output);
});
