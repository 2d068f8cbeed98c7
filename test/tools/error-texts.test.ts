// What models read when an input is refused, for every constraint of every tool: the field, the rule, the next step.
import { describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { isObject } from "../../src/base";
import { type ToolDefinition, ToolError } from "../../src/tools";
import { toolErrorRecord } from "../../src/tools/failure";
import { convertInput } from "../../src/tools/input";

interface WrongInput {
  title: string;
  definition: ToolDefinition;
  input: { [name: string]: unknown };
  /** What the text must contain. */
  expected: readonly string[];
}

const CASES = extensions.catalogs.flatMap(({ tools }) => tools.flatMap(wrongInputs));

describe("a refused input", () => {
  test.each(CASES.map((one) => [one.title, one] as const))(
    "%s",
    (_title, { definition, input, expected }) => {
      const { message, additional_prompt_content: hint = "" } = recordOf(definition, input);

      for (const part of expected) expect(message).toContain(part);
      expect(hint).toMatch(/call again/i);
      expect(`${message}${hint}`).not.toMatch(/equal to one of the allowed|equal to constant|undefined/);
    },
  );

  test("there are tools of all catalogs among these", () => {
    expect(new Set(CASES.map(({ definition }) => definition)).size).toBeGreaterThan(50);
  });
});

function recordOf(definition: ToolDefinition, input: { [name: string]: unknown }) {
  try {
    convertInput(definition, input);
  } catch (error) {
    if (error instanceof ToolError) return toolErrorRecord(error, undefined, false);
  }
  throw new Error("The input was accepted.");
}

/** One input for each constraint of the schema, wrong in this only. */
function wrongInputs(definition: ToolDefinition): WrongInput[] {
  const valid = validInput(definition);
  const { properties, required = [] } = definition.input;
  const wrong = (title: string, input: { [name: string]: unknown }, expected: string[]): WrongInput => ({
    title: `${definition.name}: ${title}`,
    definition,
    input,
    expected,
  });
  return [
    wrong("an unknown parameter", { ...valid, unheard_of: 1 }, ['"unheard_of"']),
    ...required.map((name) =>
      wrong(`no ${name}`, Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)), [
        `${name} is required`,
      ]),
    ),
    ...Object.entries(properties).flatMap(([name, schema]) =>
      violationsOf(definition, name, schema).map(({ rule, value, expected }) =>
        wrong(`${name}, ${rule}`, { ...valid, [name]: value }, [name, ...expected]),
      ),
    ),
  ];
}

interface Violation {
  rule: string;
  value: unknown;
  expected: string[];
}

function violationsOf(definition: ToolDefinition, name: string, schema: unknown): Violation[] {
  if (!isObject(schema) || definition.checksItself?.includes(name) === true) return [];
  const { type, enum: values, minimum, maximum, items } = schema;
  const clamped = Object.hasOwn(definition.clamps ?? {}, name);
  const list: Violation[] = [];
  if (Array.isArray(values)) {
    list.push({ rule: "enum", value: "unheard of", expected: values.slice(0, 20).map(String) });
    list.push({
      rule: "enum, nearly",
      value: `${String(values[0])}x`,
      expected: [`nearest: ${String(values[0])}`],
    });
  } else if (typeof type === "string") {
    list.push({ rule: "type", value: { wrong: true }, expected: [`must be ${type}`] });
  }
  if (typeof minimum === "number" && !clamped)
    list.push({ rule: "minimum", value: minimum - 1, expected: [String(minimum)] });
  if (typeof maximum === "number" && !clamped)
    list.push({ rule: "maximum", value: maximum + 1, expected: [String(maximum)] });
  if (isObject(items)) {
    const inner = violationsOf({ ...definition, clamps: {} }, "items", items);
    for (const { rule, value, expected } of inner)
      list.push({ rule: `items, ${rule}`, value: [value], expected });
  }
  return list;
}

function validInput({ input }: ToolDefinition): { [name: string]: unknown } {
  const required = new Set<string>(input.required);
  if ("mode" in input.properties) required.add("mode");
  return Object.fromEntries([...required].map((name) => [name, validValue(input.properties[name])]));
}

function validValue(schema: unknown): unknown {
  if (!isObject(schema)) return "x";
  const { type, enum: values, minimum } = schema;
  if (Array.isArray(values)) return values.at(-1);
  if (type === "integer" || type === "number") return minimum ?? 1;
  if (type === "boolean") return true;
  return type === "array" ? [] : "x";
}
