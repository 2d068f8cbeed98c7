// Tool definitions in the formats of model vendors and MCP. Only `openai_strict` is strict: vendors refuse whole requests
// because of a strict schema with an optional parameter or a free-form object. All are closed, as the tools are: an unknown
// parameter is refused. Only those of workers are as open as their own schemas.
import { closedList } from "../base";
import { RuntimeError } from "../errors";
import { toolRecord } from "./document";
import { foreignParameters, shortDescription } from "./formats/foreign";
import { geminiParameters } from "./formats/gemini";
import { type JsonSchema, selfContained } from "./formats/self-contained";
import { strictParameters } from "./formats/strict";
import type { Tool } from "./registry";
import { FORMATS } from "./schema";

export type Format = (typeof FORMATS)[number];

/** Throws `unsupported_format` naming the formats that exist. */
export function formatOf(name: string): Format {
  const format = FORMATS.find((known) => known === name);
  if (format !== undefined) return format;
  throw new RuntimeError("unsupported_format", 400, `Unknown format: it ${closedList(FORMATS, name)}.`);
}

/** The tool in a format, with a name that models can use. Does not change its schema. */
export function formatted(tool: Tool, format: Format): object {
  const { modelName: name, definition } = tool;
  const { description } = definition;
  const short = definition.foreign === true ? shortDescription(description) : description;
  switch (format) {
    case "arcade":
      return toolRecord(tool);
    case "openai":
      return { type: "function", function: { name, description: short, parameters: parameterSchema(tool) } };
    case "openai_strict": {
      const open = parameterSchema(tool);
      const parameters = isOpen(open) ? undefined : strictParameters(open);
      const rest =
        parameters === undefined ? { parameters: open, strict: false } : { parameters, strict: true };
      return { type: "function", function: { name, description: short, ...rest } };
    }
    case "anthropic":
      return { name, description, input_schema: parameterSchema(tool) };
    case "gemini": {
      const parameters = geminiParameters(parameterSchema(tool));
      return { name, description, ...(parameters === undefined ? {} : { parameters }) };
    }
    case "mcp": {
      const outputSchema = outputSchemaOf(definition.output);
      return {
        name,
        title: tool.qualifiedName,
        description,
        inputSchema: wholeSchema(tool),
        annotations: annotationsOf(tool),
        ...(outputSchema === undefined ? {} : { outputSchema }),
      };
    }
  }
}

/** MCP's revisions until 2025-11-25 only support objects as structured results. */
export function outputSchemaOf(output: object): object | undefined {
  return "type" in output && output.type === "object" ? output : undefined;
}

/** The tool in the form of chat completions. */
export function toolForModels(tool: Tool): object {
  return formatted(tool, "openai");
}

// Only root keywords that all vendors support.
function parameterSchema({ definition }: Tool): JsonSchema {
  if (definition.foreign === true) return foreignParameters(definition.input);
  const { properties = {}, required = [] } = selfContained(definition.input);
  return { type: "object", properties, required, additionalProperties: false };
}

/** Whether it takes parameters that it does not name. */
function isOpen({ additionalProperties = false }: JsonSchema): boolean {
  return additionalProperties !== false;
}

// MCP accepts any JSON Schema 2020-12, so references and definitions stay.
function wholeSchema({ definition }: Tool): JsonSchema {
  if (definition.foreign === true) return { ...definition.input };
  const { properties = {}, required = [], ...rest } = definition.input;
  return { ...rest, type: "object", properties, required, additionalProperties: false };
}

function annotationsOf({ definition, qualifiedName }: Tool): object {
  const { read_only, destructive, idempotent, open_world } = definition.metadata.behavior;
  return {
    title: qualifiedName,
    readOnlyHint: read_only,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: open_world,
  };
}
