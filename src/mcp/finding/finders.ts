// The three tools of a gateway at which clients search for tools instead of listing them all.
import { Type } from "typebox";
import { type Catalog, formatted, type Tool, type ToolDefinition } from "../../tools";

const SEARCH = "search_tools";
const DESCRIBE = "describe_tool";
const CALL = "call_tool";

export type FinderName = typeof SEARCH | typeof DESCRIBE | typeof CALL;

/** A tool of the gateway itself. */
export interface Finder extends Tool {
  readonly modelName: FinderName;
}

const READS = {
  behavior: {
    operations: ["read" as const],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
  },
};
/** What it calls may do anything. */
const ANYTHING = {
  behavior: {
    operations: ["opaque" as const],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
  },
};

const toolName = Type.String({ description: "Name of the tool, as search_tools returns it." });

const CATALOG: Catalog = { toolkit: { name: "", description: "", version: "" }, bases: {}, tools: [] };

export const FINDERS: readonly Finder[] = [
  finder(SEARCH, {
    description:
      "Finds tools for a task. Most tools of this server are not listed: search before you say that something cannot be " +
      "done. Returns the best matches first, with their parameters. Call what fits with call_tool.",
    input: Type.Object({
      query: Type.String({ description: "What to do, in a few words: `send a message to a channel`." }),
      limit: Type.Optional(Type.Integer({ default: 10, description: "At most so many tools, up to 50." })),
    }),
    clamps: { limit: { minimum: 1, maximum: 50 } },
    metadata: READS,
  }),
  finder(DESCRIBE, {
    description: "Returns the definition of a tool, with the schemas of its arguments and its result.",
    input: Type.Object({ name: toolName }),
    metadata: READS,
  }),
  finder(CALL, {
    description: "Calls a tool and returns its result.",
    input: Type.Object({
      name: toolName,
      arguments: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "The arguments of the tool." }),
      ),
    }),
    metadata: ANYTHING,
  }),
];

const TEXTS = new Map(FINDERS.map((tool) => [tool.modelName, JSON.stringify(formatted(tool, "mcp"))]));

export function isFinder(tool: Tool): tool is Finder {
  return FINDERS.some((finder) => finder === tool);
}

export function finderOf(name: string): Finder | undefined {
  return FINDERS.find(({ modelName }) => modelName === name);
}

/** Whether a tool of a worker has the name of one of them: it is found and called like the others, but not listed. */
export function isNamedLikeFinder({ modelName }: Tool): boolean {
  return finderOf(modelName.toLowerCase()) !== undefined;
}

/** Its entry in the list of tools, as JSON. */
export function finderText({ modelName }: Finder): string {
  return TEXTS.get(modelName) ?? "";
}

function finder(
  modelName: FinderName,
  definition: Pick<ToolDefinition, "description" | "input" | "metadata" | "clamps">,
): Finder {
  const run = () => Promise.reject(new Error(`${modelName} is not run as a tool`));
  return {
    catalog: CATALOG,
    definition: { name: modelName, output: Type.Unknown(), run, ...definition },
    qualifiedName: modelName,
    fullyQualifiedName: modelName,
    newest: true,
    modelName,
  };
}
