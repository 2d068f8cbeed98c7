// The catalog of an MCP worker, as the workers make it, with a server that the test scripts.
import { type TObject, Type } from "typebox";
import { type Json, isObject, type JsonObject } from "../../src/base";
import { Carried, type Catalog, fatal, type ToolContext, type ToolDefinition } from "../../src/tools";

/** What a scripted server answers: a result, or an error. */
export type Scripted = JsonObject | { error: { code: number; message: string; data?: Json } };

export interface Upstream {
  catalog: Catalog;
  /** Requests that reached the server. */
  asked: { method: string; params: JsonObject; headers: unknown }[];
  /** Replaced by tests. */
  answer: (method: string, params: JsonObject, context: ToolContext) => Scripted | Promise<Scripted>;
}

export interface UpstreamOptions {
  /** As the server lists them. */
  tools?: JsonObject[];
  prompts?: JsonObject[];
  resources?: JsonObject[];
  resourceTemplates?: JsonObject[];
  completes?: boolean;
  authorization?: ToolDefinition["authorization"];
}

const metadata: ToolDefinition["metadata"] = {
  behavior: {
    operations: ["opaque"],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
  },
};

export function upstream(name: string, options: UpstreamOptions = {}): Upstream {
  const { tools = [], prompts, resources, resourceTemplates, completes, authorization } = options;
  const server: Upstream = {
    asked: [],
    answer: () => ({ content: [] }),
    catalog: undefined as unknown as Catalog,
  };
  const run =
    (method: string, paramsOf: (input: JsonObject) => JsonObject): ToolDefinition["run"] =>
    async (input, context) => {
      const params = paramsOf(input as JsonObject);
      server.asked.push({ method, params, headers: context.caller?.headers });
      return outcomeOf(await server.answer(method, params, context));
    };
  const needs = authorization === undefined ? {} : { authorization };
  const reserved = (
    kind: NonNullable<ToolDefinition["reserved"]>,
    tool: string,
    method: string,
    input: TObject,
  ): ToolDefinition => ({
    name: tool,
    description: `${tool} of ${name}.`,
    input,
    output: Type.Unknown(),
    metadata,
    foreign: true,
    reserved: kind,
    ...needs,
    run: run(method, (params) => params),
  });
  server.catalog = {
    toolkit: { name, description: `Tools of ${name}.`, version: "1.0.0" },
    worker: {
      id: name.toLowerCase(),
      type: "mcp",
      ...(prompts === undefined ? {} : { prompts }),
      ...(resources === undefined ? {} : { resources }),
      ...(resourceTemplates === undefined ? {} : { resourceTemplates }),
      ...(completes === undefined ? {} : { completes }),
    },
    bases: {},
    tools: [
      ...tools.map((tool) => definitionOf(tool, needs, run)),
      ...(resources === undefined && resourceTemplates === undefined
        ? []
        : [reserved("resource", "ReadResource", "resources/read", Type.Object({ uri: Type.String() }))]),
      ...(prompts === undefined
        ? []
        : [
            reserved(
              "prompt",
              "GetPrompt",
              "prompts/get",
              Type.Object({ name: Type.String(), arguments: Type.Optional(Type.Object({})) }),
            ),
          ]),
      ...(completes === true
        ? [
            reserved(
              "completion",
              "Complete",
              "completion/complete",
              Type.Object({
                ref: Type.Object({}),
                argument: Type.Object({}),
                context: Type.Optional(Type.Object({})),
              }),
            ),
          ]
        : []),
    ],
  };
  return server;
}

function definitionOf(
  listed: JsonObject,
  needs: Pick<ToolDefinition, "authorization">,
  run: (method: string, paramsOf: (input: JsonObject) => JsonObject) => ToolDefinition["run"],
): ToolDefinition {
  const { name, description, inputSchema, outputSchema, ...members } = listed;
  return {
    name: String(name).replaceAll(/\W/g, "_"),
    description: typeof description === "string" ? description : "",
    // As the schemas of foreign tools: JSON.
    input: { properties: {}, ...(inputSchema as JsonObject) } as unknown as TObject,
    output: isObject(outputSchema) ? (outputSchema as object) : Type.Unknown(),
    metadata,
    foreign: true,
    original: { ...members, inputSchema: inputSchema ?? {} },
    ...needs,
    run: run("tools/call", (input) => ({ name: name ?? "", arguments: input })),
  };
}

function outcomeOf(answer: Scripted): Carried {
  if (isObject(answer["error"])) {
    const { error } = answer as Extract<Scripted, { error: object }>;
    throw fatal(error.message, { answered: { error } });
  }
  const result = answer as JsonObject;
  if (result["isError"] === true) throw fatal("failed", { answered: { result } });
  const { _meta: _, ...value } = result;
  return new Carried(value["structuredContent"] ?? value, result);
}
