// Tools of workers as the registry takes them.
import { type TObject, type TSchema, Type } from "typebox";
import type { JsonObject } from "../../base";
import type { ToolDefinition } from "../../tools";
import type { WorkerTool } from "../tool";

const ANYTHING = Type.Unknown();

/**
 * The definition of a worker's tool. Copies nothing and compiles nothing: a project may have thousands of tools, of which
 * few are used.
 */
export function definitionOf(tool: WorkerTool, run: ToolDefinition["run"]): ToolDefinition {
  const { name, description, metadata, authorization, ...rest } = tool;
  const { secrets, notInferrable, deprecation, original, reserved, modes } = rest;
  return {
    name,
    description,
    metadata,
    input: inputOf(tool.input),
    // A schema that was checked when the catalog was read.
    output: tool.output === undefined ? ANYTHING : (tool.output as TSchema),
    ...(modes === undefined ? {} : { modes }),
    foreign: true,
    ...(authorization === undefined ? {} : { authorization: providerOf(authorization) }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(notInferrable === undefined ? {} : { notInferrable }),
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(original === undefined ? {} : { original }),
    ...(reserved === undefined ? {} : { reserved }),
    run,
  };
}

function inputOf(input: JsonObject): TObject {
  return (input["properties"] === undefined ? { ...input, properties: {} } : input) as unknown as TObject;
}

function providerOf({ provider, id, scopes }: NonNullable<WorkerTool["authorization"]>) {
  return { provider: provider ?? id ?? "", ...(id === undefined ? {} : { id }), scopes };
}
