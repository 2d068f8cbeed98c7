// Tools of workers for tests: each of the schemas that real servers send, and of the hostile ones that are taken.
import type { JsonObject } from "../../src/base";
import { checkForeignSchema } from "../../src/schemas";
import { Registry, type Tool } from "../../src/tools/registry";
import { definitionOf, toolNameOf } from "../../src/workers/foreign";
import type { WorkerTool } from "../../src/workers/tool";
import { hostileSchemas } from "../schemas/hostile-schemas";
import { REAL_SCHEMAS } from "../schemas/real-schemas";

const metadata: WorkerTool["metadata"] = {
  behavior: {
    operations: ["opaque"],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
  },
};

/** The tool of a schema; undefined if the schema is refused. */
export function foreignTool(schema: unknown, more: Partial<WorkerTool> = {}): Tool | undefined {
  const checked = checkForeignSchema(schema);
  if ("reason" in checked) return undefined;
  const upstream = more.upstream ?? "do-it";
  const tool: WorkerTool = {
    upstream,
    name: toolNameOf(upstream)?.slice(0, 60) ?? "tool",
    description: "Does it.",
    input: checked.schema,
    metadata,
    ...more,
  };
  const [only] = new Registry([]).with([
    {
      toolkit: { name: "Foreign", description: "Tools of a worker.", version: "1.0.0" },
      worker: { id: "foreign", type: "mcp" },
      bases: {},
      tools: [definitionOf(tool, async () => null)],
    },
  ]).tools;
  return only;
}

export function tooled(schema: unknown, more: Partial<WorkerTool> = {}): Tool {
  const tool = foreignTool(schema, more);
  if (tool === undefined) throw new Error("The schema is refused.");
  return tool;
}

/** All schemas that are taken, with their names. */
export function takenSchemas(): [string, JsonObject][] {
  const all = [...REAL_SCHEMAS, ...hostileSchemas()].map(
    ({ name, schema }) => [name, checkForeignSchema(schema)] as const,
  );
  return all.flatMap(([name, checked]): [string, JsonObject][] =>
    "schema" in checked ? [[name, checked.schema]] : [],
  );
}
