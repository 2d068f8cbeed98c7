// A tool of an MCP server in the list of a gateway: as the server's own clients see it, with the name that it has here.
import { isObject, type Json, type JsonObject, present } from "../../base";
import type { ToolDefinition } from "../../tools";
import { accepted } from "./members";

/** `modern`: revision 2026-07-28, in which results may have any type. */
export function upstreamTool(
  name: string,
  { original = {}, description, input, output }: ToolDefinition,
  modern: boolean,
): JsonObject {
  const { inputSchema: _input, outputSchema: _output, ...members } = original;
  // Schemas are JSON.
  const result = listedOutput({ output, original }, modern) as JsonObject | undefined;
  return {
    ...accepted("tool", members),
    name,
    ...(description === "" ? {} : { description }),
    inputSchema: { ...rootOf(inputOf({ input, original }), modern), type: "object" },
    ...(result === undefined ? {} : { outputSchema: rootOf(result, modern) }),
  };
}

/** The input schema as the server sent it. */
export function inputOf({ input, original = {} }: Pick<ToolDefinition, "input" | "original">): JsonObject {
  const { inputSchema } = original;
  // The schema of a definition is JSON.
  return isObject(inputSchema) ? (inputSchema as JsonObject) : (input as object as JsonObject);
}

/**
 * The output schema that clients of a revision get; undefined for none. One that could not be used when the catalog was read is
 * left out, because results are checked against it.
 */
export function listedOutput(
  { output, original = {} }: Pick<ToolDefinition, "output" | "original">,
  modern: boolean,
): object | undefined {
  const { outputSchema = output } = original;
  if (Object.keys(output).length === 0 || !isObject(outputSchema)) return undefined;
  // Without a type, the official clients of older revisions refuse the whole list.
  return modern || outputSchema["type"] === "object" ? outputSchema : undefined;
}

/** Every revision needs the type of an input. Those until 2025-11-25 have no `true` and `false` as schemas of members. */
function rootOf(schema: JsonObject, modern: boolean): JsonObject {
  const { $schema, properties, required, ...rest } = schema;
  const dialect = typeof $schema === "string" ? { $schema } : {};
  if (modern) return { ...dialect, ...present({ properties, required }), ...rest };
  return {
    ...dialect,
    ...rest,
    ...(isObject(properties) ? { properties: withoutBooleans(properties as JsonObject) } : {}),
    ...(Array.isArray(required) && required.every((name) => typeof name === "string") ? { required } : {}),
  };
}

function withoutBooleans(properties: JsonObject): JsonObject {
  const members = Object.entries(properties).map(([name, schema]): [string, Json] => {
    if (typeof schema !== "boolean") return [name, schema];
    return [name, schema ? {} : { not: {} }];
  });
  return Object.fromEntries(members);
}
