// A client of the conformance suite that is a worker of this product: `bun worker-client.ts ADDRESS`. It reads the catalog of
// the suite's server, and runs its tools as the user of a gateway would.
import { isObject, type JsonObject, silentLog, systemClock } from "../../../src/base";
import { createEgress } from "../../../src/egress";
import { type Caller, InputNeeded, type InputRequest, type ToolContext } from "../../../src/tools";
import { mcpKind } from "../../../src/workers/mcp";
import type { LoadedWorker, WorkerTool } from "../../../src/workers/tool";
import { contextOf, workerAt } from "../../workers/mcp/worker";

const address = process.argv.at(-1) ?? "";
const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "";

const egress = createEgress({ allow: ["loopback"], timeoutMs: 30_000, maxBytes: 10_000_000, log: silentLog });
const kind = mcpKind({ egress, clock: systemClock, maxResultBytes: 10_000_000 });
const worker: LoadedWorker = workerAt(address, { timeoutMs: 20_000 });

/** A user who accepts, with what the question proposes. */
function answer({ params }: InputRequest): JsonObject {
  const schema = params?.["requestedSchema"];
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  const content = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) ? (property["default"] ?? valueOf(property)) : null,
    ]),
  );
  // Values of JSON.
  return { action: "accept", content: content as JsonObject };
}

function valueOf({ type }: { [key: string]: unknown }): unknown {
  return type === "boolean" ? true : type === "string" ? "Ann" : 1;
}

function callerWith(more: Partial<Caller>): Caller {
  return {
    capabilities: { elicitation: { form: {} } },
    answers: {},
    state: undefined,
    progress: () => undefined,
    asks: () => undefined,
    ...more,
  };
}

/** A client of revision 2026-07-28 answers after the run has ended; one of the revisions before, while it goes on. */
async function run(tool: WorkerTool, input: JsonObject, caller: Caller): Promise<void> {
  const of: Partial<ToolContext> = { caller };
  try {
    await kind.run(worker, tool)(input, contextOf(address, { context: of }));
  } catch (error) {
    if (!(error instanceof InputNeeded)) throw error;
    const answers = Object.fromEntries(
      Object.entries(error.requests).map(([key, one]) => [key, answer(one)]),
    );
    await run(tool, input, callerWith({ answers, state: error.state }));
  }
}

const { tools, resources = [], prompts = [] } = await kind.read(worker, {});

function inputOf(tool: WorkerTool): JsonObject {
  if (tool.reserved === "resource") return { uri: resources[0]?.["uri"] ?? "" };
  if (tool.reserved === "prompt") return { name: prompts[0]?.["name"] ?? "" };
  // The schema of another tool, as this client received it.
  const schema = tools.find(({ name }) => name !== tool.name);
  if (tool.upstream === "json_schema_echo")
    return { schema: schema?.original?.["inputSchema"] ?? schema?.input ?? {} };
  return { a: 5, b: 3, region: "eu" };
}

const given = isObject(context) && Array.isArray(context["toolCalls"]) ? context["toolCalls"] : undefined;
const calls =
  given?.map((call: { name: string; arguments: JsonObject }) => ({
    upstream: call.name,
    input: call.arguments,
  })) ?? tools.map((tool) => ({ upstream: tool.upstream, input: inputOf(tool) }));
for (const { upstream, input } of calls) {
  const tool = tools.find((one) => one.upstream === upstream);
  const ask = version === "2026-07-28" ? {} : { ask: async (request: InputRequest) => answer(request) };
  if (tool === undefined) console.error(`there is no tool ${upstream}`);
  else await run(tool, input, callerWith(ask)).catch((error: unknown) => console.error(String(error)));
}
await kind.close();
process.exit(0);
