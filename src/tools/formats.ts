// Tool definitions in the forms that model vendors take.
import { RuntimeError } from "../errors";
import type { Tool } from "./registry";
import { toolRecord } from "./document";

export const FORMATS = ["arcade", "openai", "anthropic"] as const;
export type Format = (typeof FORMATS)[number];

/** Throws `unsupported_format` naming the formats that exist. */
export function formatOf(name: string): Format {
  const format = FORMATS.find((known) => known === name);
  if (format !== undefined) return format;
  throw new RuntimeError("unsupported_format", 400, `Unknown format. Known formats: ${FORMATS.join(", ")}.`);
}

/** The tool in a format. Names carry `_`, since models cannot use dots. */
export function formatted(tool: Tool, format: Format): unknown {
  const name = tool.qualifiedName.replace(".", "_");
  const { description } = tool.definition;
  if (format === "arcade") return toolRecord(tool);
  const schema = parameterSchema(tool);
  if (format === "anthropic") return { name, description, input_schema: schema };
  return { type: "function", function: { name, description, parameters: schema } };
}

function parameterSchema({ definition }: Tool): { [key: string]: unknown } {
  const { properties, required } = definition.input;
  return { type: "object", properties: { ...properties }, required: [...(required ?? [])] };
}
