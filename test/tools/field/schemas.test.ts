// Schemas in the words of each vendor, as a client of the API gets them; and the tool's own check behind them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import { isObject } from "../../../src/base";
import { FORMATS } from "../../../src/tools/schema";
import { at } from "../../support/api";
import { type FieldStage, fieldKit, startFieldStage } from "./stage";

let stage: FieldStage;
beforeAll(async () => {
  stage = await startFieldStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Where a format keeps the parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  openai: "function.parameters",
  anthropic: "input_schema",
  gemini: "parameters",
  mcp: "inputSchema",
};

async function parameters(tool: string, format: string): Promise<unknown> {
  return at(await stage.formatted(tool, format), PARAMETERS[format] ?? "");
}

/** Every object inside, itself included. */
function within(value: unknown): { [key: string]: unknown }[] {
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return [...(isObject(value) ? [value] : []), ...inner.flatMap(within)];
}

async function refusal(tool: string, input: unknown): Promise<string> {
  const { status, body } = await stage.execute(tool, input);
  expect([
    status,
    at(body, "success"),
    at(body, "output.error.kind"),
    at(body, "output.error.status_code"),
  ]).toEqual([200, false, "TOOL_RUNTIME_BAD_INPUT_VALUE", 400]);
  return String(at(body, "output.error.message"));
}

describe("references", () => {
  const good = { at: { x: 1 }, tree: { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] } };
  const bad: [string, unknown][] = [
    ["at.x", { at: {} }],
    ["tree.name", { at: { x: 1 }, tree: {} }],
    ["tree.children.0.name", { at: { x: 1 }, tree: { name: "a", children: [{}] } }],
    ["tree.children.0", { at: { x: 1 }, tree: { name: "a", children: [{ name: "b", z: 1 }] } }],
  ];

  test.each(["openai", "anthropic", "gemini"])(
    "are inlined in %s: the schema needs no definitions [fault: schema-references]",
    async (format) => {
      const schema = await parameters("Field.Tree", format);
      const text = JSON.stringify(schema);
      expect(text).not.toMatch(/"\$(ref|defs|id|anchor)"|"definitions"/);
      expect(text.length).toBeLessThan(2000);
      expect(at(schema, "properties.at")).toMatchObject({
        type: "object",
        properties: { x: { type: "number" } },
      });
      expect(at(schema, "properties.tree.properties.children.items.properties.name")).toEqual({
        type: "string",
      });
    },
  );

  test.each(["openai", "anthropic"])(
    "in %s mean what they meant [fault: schema-references]",
    async (format) => {
      const schema = await parameters("Field.Tree", format);
      const check = Compile(Object(schema));
      expect(check.Check(good)).toBe(true);
      expect(bad.map(([, input]) => check.Check(input))).toEqual(bad.map(() => false));
    },
  );

  test("in mcp stay with their definitions", async () => {
    const schema = await parameters("Field.Tree", "mcp");
    for (const { $ref } of within(schema)) {
      if ($ref !== undefined)
        expect(at(schema, String($ref).replace("#/", "").replaceAll("/", "."))).toBeObject();
    }
  });

  test("leave the stored schema as it is: the tool checks every level of it [fault: schema-references]", async () => {
    const before = JSON.stringify(fieldKit.tools[0]?.input);
    for (const format of FORMATS) await stage.formatted("Field.Tree", format);
    expect(JSON.stringify(fieldKit.tools[0]?.input)).toBe(before);
    expect(at((await stage.execute("Field.Tree", good)).body, "output.value")).toEqual(good);
    const deep = {
      name: "a",
      children: [{ name: "b", children: [{ name: "c", children: [{ name: "d", children: [{}] }] }] }],
    };
    for (const [field, input] of [
      ...bad,
      ["tree.children.0.children.0.children.0.children.0.name", { at: { x: 1 }, tree: deep }] as const,
    ])
      expect(await refusal("Field.Tree", input)).toContain(field);
  });
});

describe("strict", () => {
  test("is claimed by no document of any other format [fault: strict-mode]", async () => {
    for (const format of FORMATS.filter((one) => one !== "openai_strict")) {
      const { body } = await stage.client.get(`/v1/formatted_tools?format=${format}&limit=100`);
      const items = at(body, "items");
      expect(Array.isArray(items) ? items.length : 0).toBe(Number(at(body, "total_count")));
      for (const part of within(items)) expect(Object.keys(part)).not.toContain("strict");
    }
  });

  test.each(["openai", "anthropic", "mcp"])(
    "is not required in %s: optional parameters stay optional [fault: strict-mode]",
    async (format) => {
      const cells = await parameters("Sheets.UpdateCells", format);
      expect(at(cells, "required")).toEqual(["spreadsheet_id", "data"]);
      expect(at(cells, "properties.sheet_position")).toMatchObject({ type: "integer" });
      const open = await parameters("Field.Open", format);
      expect(at(open, "required")).toEqual(["filter"]);
      expect(at(open, "properties.filter.additionalProperties")).toBe(true);
    },
  );

  test("null from a model is the default, and an open object takes anything [fault: strict-mode]", async () => {
    const { body } = await stage.execute("Field.Open", { filter: { any: [1, null] }, position: null });
    expect(at(body, "output.value")).toEqual({ filter: { any: [1, null] }, position: 1 });
  });

  test("null for a parameter that is required is refused by its name", async () => {
    expect(await refusal("Field.Open", { filter: null })).toContain("filter");
  });
});

describe("gemini", () => {
  const UNKNOWN =
    /"(exclusiveMinimum|exclusiveMaximum|propertyNames|const|\$schema|additionalProperties|patternProperties)"/;

  test("knows every keyword of every document", async () => {
    const { body } = await stage.client.get("/v1/formatted_tools?format=gemini&limit=100");
    for (const part of within(at(body, "items"))) {
      // A list of types is none to it.
      if (part["type"] !== undefined && !isObject(part["type"])) expect(part["type"]).toBeString();
    }
    expect(JSON.stringify(await parameters("Field.Nested", "gemini"))).not.toMatch(UNKNOWN);
  });

  test("gets unknown keywords converted to known ones, at every depth [fault: gemini-keywords]", async () => {
    expect(await parameters("Field.Nested", "gemini")).toEqual({
      type: "object",
      properties: {
        plan: {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["plan"] },
            note: { type: "string", nullable: true },
            steps: {
              type: "array",
              items: {
                type: "object",
                properties: { weight: { type: "integer", minimum: 1 }, labels: { type: "object" } },
                required: ["weight"],
              },
            },
          },
          required: ["kind"],
        },
      },
      required: ["plan"],
    });
  });

  test("is not what the tool checks: that is the full schema [fault: gemini-keywords]", async () => {
    const step = { weight: 2, labels: { ok: 1 } };
    const plan = { kind: "plan", note: null, steps: [step] };
    expect(at((await stage.execute("Field.Nested", { plan })).body, "output.value")).toEqual({ plan });
    const bad = [
      [{ ...plan, kind: "other" }, "plan.kind"],
      [{ ...plan, note: 5 }, "plan.note"],
      [{ ...plan, more: 1 }, "plan"],
      [{ ...plan, steps: [{ ...step, weight: 0 }] }, "plan.steps.0.weight"],
      [{ ...plan, steps: [{ ...step, labels: { NO: 1 } }] }, "plan.steps.0.labels"],
      [{ ...plan, steps: [{ ...step, more: 1 }] }, "plan.steps.0"],
    ] as const;
    for (const [wrong, field] of bad) expect(await refusal("Field.Nested", { plan: wrong })).toContain(field);
  });
});

describe("a tool without parameters", () => {
  const schema = { type: "object", properties: {}, required: [], additionalProperties: false };
  test.each<[string, unknown]>([
    ["openai", schema],
    ["anthropic", schema],
    ["mcp", schema],
    ["gemini", undefined],
  ])("has in %s what the vendor takes [fault: no-parameters]", async (format, expected) => {
    for (const tool of ["Chat.WhoAmI", "Field.Nothing"])
      expect(await parameters(tool, format)).toEqual(expected);
  });

  test("has in arcade an empty list of parameters", async () => {
    expect(at(await stage.formatted("Chat.WhoAmI", "arcade"), "input")).toEqual({ parameters: [] });
  });

  test("and no document requires what it has no properties for, or, in gemini, has empty properties [fault: no-parameters]", async () => {
    for (const format of FORMATS) {
      const { body } = await stage.client.get(`/v1/formatted_tools?format=${format}&limit=100`);
      for (const { required, properties, type } of within(at(body, "items"))) {
        if (type !== "object" || !Array.isArray(required)) continue;
        expect(Object.keys(Object(properties))).toEqual(expect.arrayContaining(required));
        if (format === "gemini")
          expect([Object.keys(Object(properties)).length, required.length]).not.toContain(0);
      }
    }
  });

  test("runs with an empty input and with none [fault: no-parameters]", async () => {
    for (const input of [{}, undefined, null])
      expect(at((await stage.execute("Field.Nothing", input)).body, "output.value")).toEqual({});
  });
});
