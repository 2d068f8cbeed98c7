// Tools of workers: inputs at random, and wrong inputs that a caller mends who reads only the schema and the errors.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject } from "../../src/base";
import { ToolError } from "../../src/tools";
import { judgeBySchema } from "../../src/tools/input";
import { formatted } from "../../src/tools/formats";
import type { Tool } from "../../src/tools/registry";
import { REAL_SCHEMAS } from "../schemas/real-schemas";
import { tooled } from "../tools/foreign-tools";
import { anything, arbitraryOf } from "./arbitrary";
import { type Input, mend } from "./mender/mender";
import { brokenConstraints } from "./mender/wrong-inputs";

const MOST_TRIES = 2;
/** Of all wrong inputs, this part must be mended. */
const SHARE = 0.9;

/** The parameters as a model sees them. */
function parametersOf(tool: Tool): { [key: string]: unknown } {
  const shown: unknown = JSON.parse(JSON.stringify(formatted(tool, "anthropic")));
  const schema = Object(shown)["input_schema"];
  if (!isObject(schema)) throw new Error("It has a schema.");
  return schema;
}

function refusalOf(tool: Tool, input: Input): string | undefined {
  // Callers send JSON: what is undefined is absent.
  const judged = judgeBySchema(tool.definition, JSON.parse(JSON.stringify(input)));
  if (!(judged instanceof ToolError)) return undefined;
  return [judged.message, judged.details.additionalPromptContent ?? ""].join("\n");
}

function lacksObject({ properties, required }: { [key: string]: unknown }, input: Input): boolean {
  const missing = [required].flat().filter((name) => !(String(name) in input));
  return missing.some((name) => Object(Object(properties)[String(name)])["type"] === "object");
}

test("nearly all wrong inputs are mended with at most two tries", () => {
  const left: string[] = [];
  let refused = 0;
  for (const { schema, valid } of REAL_SCHEMAS) {
    const tool = tooled(schema);
    const parameters = parametersOf(tool);
    for (const input of valid.slice(0, 1)) {
      for (const wrong of brokenConstraints("T", parameters, { ...input })) {
        let tried: Input = wrong.input;
        let text = refusalOf(tool, tried);
        // A whole object cannot be made up by somebody who reads only an error.
        if (text === undefined || lacksObject(parameters, wrong.input)) continue;
        refused++;
        for (let tries = 0; tries < MOST_TRIES && text !== undefined; tries++) {
          tried = mend(parameters["properties"], tried, text).input;
          text = refusalOf(tool, tried);
        }
        if (text !== undefined) left.push(`${wrong.title}: ${text}`);
      }
    }
  }
  expect(refused).toBeGreaterThan(30);
  // The list shows which texts are poor.
  expect(left.slice(0, Math.max(0, left.length - Math.floor(refused * (1 - SHARE))))).toEqual([]);
});

describe.each(REAL_SCHEMAS)("$name", ({ schema }) => {
  const tool = tooled(schema);
  const made = fc.oneof(
    arbitraryOf(parametersOf(tool)),
    fc.dictionary(fc.string(), anything, { maxKeys: 3 }),
  );

  test("any input is taken or refused with a text", () => {
    fc.assert(
      fc.property(made, (input) => {
        if (!isObject(input)) return;
        const judged = judgeBySchema(tool.definition, input);
        if (judged instanceof ToolError) return expect(judged.message).toMatch(/\.$/);
        // What reaches the worker is JSON.
        expect(typeof JSON.stringify(judged)).toBe("string");
      }),
      { seed: 26, numRuns: 30 },
    );
  });
});
