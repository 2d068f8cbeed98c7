// An MCP worker over the real outbound client, with runs of made-up users.
import { Redacted, silentLog, systemClock } from "../../../src/base";
import { createEgress } from "../../../src/egress";
import { Carried, type ToolContext } from "../../../src/tools";
import { type McpKind, mcpKind } from "../../../src/workers/mcp";
import type { LoadedWorker, ReadCatalog, WorkerTool } from "../../../src/workers/tool";
import { TestClock, toolContext } from "../../catalogs/context";

export const MAX_RESULT_BYTES = 100_000;

export const egress = createEgress({
  allow: ["loopback"],
  timeoutMs: 30_000,
  maxBytes: 20_000_000,
  log: silentLog,
});

export interface StaleWorkers {
  stale: string[];
}

export function kindOf(more: Partial<Parameters<typeof mcpKind>[0]> = {}): McpKind {
  return mcpKind({ egress, clock: systemClock, maxResultBytes: MAX_RESULT_BYTES, ...more });
}

export function workerAt(uri: string, more: Partial<LoadedWorker> = {}): LoadedWorker {
  return {
    projectId: "default",
    id: "peer",
    createdAt: 0,
    type: "mcp",
    uri,
    timeoutMs: 5000,
    retry: 0,
    toolkit: "Peer",
    sendTokens: true,
    trustAnnotations: false,
    strictResults: false,
    secret: async () => new Redacted(""),
    secrets: async () => ({}),
    headers: async () => ({}),
    userKeys: [],
    ...more,
  };
}

export interface By {
  user?: string;
  connection?: string;
  token?: string;
  context?: Partial<ToolContext>;
  clock?: TestClock;
  signal?: AbortSignal;
  timeMs?: number;
}

/** The context of a run. Without a token, the tool needs no grant. */
export function contextOf(uri: string, by: By = {}): ToolContext {
  const { user = "alice", connection = "ac_alice", token } = by;
  const clock = by.clock ?? new TestClock();
  const { grant, ...context } = toolContext({
    bases: { worker: uri },
    token: token ?? "",
    grant: { connectionId: connection },
    clock,
    ...(by.signal === undefined ? {} : { signal: by.signal }),
    ...(by.timeMs === undefined ? {} : { timeMs: by.timeMs }),
  });
  const fetch: ToolContext["fetch"] = (base, path, request = {}) =>
    context.fetch(base, path, { anonymous: token === undefined, ...request });
  return {
    ...context,
    call: { ...context.call, userId: user },
    fetch,
    grant: token === undefined ? undefined : grant,
    ...by.context,
  };
}

/** Runs a tool, and returns what a client without a gateway and a client of a gateway get. */
export async function ran(
  kind: McpKind,
  worker: LoadedWorker,
  tool: WorkerTool,
  input: Record<string, unknown> = {},
  by: By = {},
): Promise<Carried> {
  const output: unknown = await kind.run(worker, tool)(input, contextOf(worker.uri, by));
  if (!(output instanceof Carried)) throw new Error("the output carries no result");
  return output;
}

export function toolNamed({ tools }: ReadCatalog, upstream: string): WorkerTool {
  const tool = tools.find((one) => one.upstream === upstream);
  if (tool === undefined) throw new Error(`the catalog has no tool ${upstream}`);
  return tool;
}

/** A tool of a stored catalog. */
export function storedTool(upstream: string, more: Partial<WorkerTool> = {}): WorkerTool {
  return {
    upstream,
    name: upstream,
    description: "",
    input: { type: "object", properties: {} },
    metadata: {
      behavior: { operations: [], read_only: false, destructive: true, idempotent: false, open_world: true },
    },
    ...more,
  };
}
