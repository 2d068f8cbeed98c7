// Converts a definition to the record of tool listings.
import { isObject, present } from "../base";
import type { ToolDefinition } from "./definition";
import { foreignDescription, foreignValueSchema } from "./foreign-value";
import type { Tool } from "./registry";
import { resultText } from "./result-text";
import type { RequirementsRecord, ToolRecord, ValueSchema } from "./schema";

/** The record of a tool; requirements and formats are added by the listing. */
export function toolRecord(tool: Tool): ToolRecord {
  const { definition, catalog } = tool;
  return {
    fully_qualified_name: tool.fullyQualifiedName,
    qualified_name: tool.qualifiedName,
    name: definition.name,
    toolkit: { ...catalog.toolkit },
    description: definition.description,
    ...present({ deprecation_message: deprecationOf(definition) }),
    input: { parameters: parametersOf(definition) },
    output: outputOf(definition),
    requirements: declaredRequirements(definition),
    metadata: definition.metadata,
  };
}

/** Why not to use a tool any more; undefined for one that is not deprecated. */
export function deprecationOf(definition: ToolDefinition): string | undefined {
  return definition.replacement === undefined ? definition.deprecation : deprecationMessage(definition);
}

export interface Deprecation {
  /** The tool that replaces it. */
  replacement: string | undefined;
  /** Undefined for a tool of a worker, which does not say. */
  since: Date | undefined;
}

export function whenDeprecated(definition: ToolDefinition): Deprecation | undefined {
  const { replacement, deprecatedSince } = definition;
  if (deprecationOf(definition) === undefined) return undefined;
  return { replacement, since: deprecatedSince === undefined ? undefined : new Date(deprecatedSince) };
}

function deprecationMessage({ name, replacement }: ToolDefinition): string {
  return `${name} is deprecated and will be removed. Use ${replacement ?? "its replacement"} instead.`;
}

/** The requirements of a tool, independent of a user. */
export function declaredRequirements({
  authorization,
  userKeys: [key] = [],
  secrets,
}: ToolDefinition): RequirementsRecord {
  const needed =
    authorization === undefined
      ? key === undefined
        ? undefined
        : { provider_id: key, provider_type: "api_key" as const, oauth2: { scopes: [] } }
      : {
          provider_id: authorization.provider,
          provider_type: "oauth2" as const,
          oauth2: { scopes: [...authorization.scopes] },
        };
  return {
    met: false,
    ...(needed === undefined ? {} : { authorization: { ...needed, status: "inactive" } }),
    ...(secrets === undefined ? {} : { secrets: secrets.map((key) => ({ key, met: false })) }),
  };
}

function outputOf(definition: ToolDefinition): NonNullable<ToolRecord["output"]> {
  const { output, modes = ["value", "error"] } = definition;
  const description = resultText(output);
  return {
    available_modes: [...modes],
    ...(description === undefined ? {} : { description }),
    value_schema: valueSchemaIn(definition, output, output),
  };
}

function parametersOf(definition: ToolDefinition): ToolRecord["input"]["parameters"] {
  const { input, notInferrable = [] } = definition;
  const required = input.required ?? [];
  return Object.entries(input.properties).map(([name, schema]) => ({
    name,
    value_schema: valueSchemaIn(definition, input, schema),
    ...described(definition, schema),
    required: required.includes(name),
    inferrable: !notInferrable.includes(name),
  }));
}

function described({ foreign, input }: ToolDefinition, schema: unknown): { description?: string } {
  const own = isObject(schema) ? schema["description"] : undefined;
  const description = foreign === true ? foreignDescription(input, schema) : own;
  return typeof description === "string" ? { description } : {};
}

/** `root`: the schema that references lead into. */
function valueSchemaIn({ foreign }: ToolDefinition, root: object, schema: unknown): ValueSchema {
  return foreign === true ? foreignValueSchema(root, schema) : valueSchema(schema);
}

function valueSchema(schema: unknown): ValueSchema {
  if (!isObject(schema)) return { val_type: "json" };
  const type = typeBesidesNull(schema["type"]);
  if (type === "array") {
    const items = valueSchema(schema["items"]);
    return {
      ...items,
      val_type: "array",
      inner_val_type: items.val_type === "array" ? "json" : items.val_type,
    };
  }
  const texts = listedTexts(schema["enum"]);
  if (texts !== undefined && (type === "string" || type === undefined))
    return { val_type: "string", enum: texts };
  const simple = (["string", "integer", "number", "boolean"] as const).find((known) => known === type);
  return { val_type: simple ?? "json" };
}

/** `["string", "null"]` is a text that may be left out. */
function typeBesidesNull(type: unknown): unknown {
  if (!Array.isArray(type)) return type;
  const types: unknown[] = type.filter((one) => one !== "null");
  return types.length === 1 ? types[0] : type;
}

function listedTexts(values: unknown): string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const given: unknown[] = values.filter((value) => value !== null);
  return given.length > 0 && given.every((value) => typeof value === "string") ? given : undefined;
}
