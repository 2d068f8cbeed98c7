// The tools that the conformance suite calls by fixed names. A gateway shows `Toolkit.Tool` as `Toolkit_Tool`, so the
// toolkits `test` and `json` give exactly the names of the suite.
import { type TObjectOptions, Type } from "typebox";
import {
  badInput,
  type Caller,
  type Catalog,
  defineTool,
  InputNeeded,
  type InputRequest,
  type ToolContext,
  type ToolDefinition,
} from "../../../src/tools";

type Requests = Readonly<Record<string, InputRequest>>;

/** What `test_trigger_tool_change` does: a site that has something to change sets it. */
export const toolChange = { trigger: async (): Promise<void> => undefined };

const STEP_MS = 50;
const SLOW_MS = 20_000;

export const conformanceCatalogs: readonly Catalog[] = [
  kit("test", [
    tool("simple_text", async () => "This is a simple text response for testing."),
    tool("error_handling", async () => {
      throw badInput("This tool intentionally returns an error for testing");
    }),
    tool("tool_with_progress", progress),
    tool("trigger_tool_change", async () => {
      await toolChange.trigger();
      return "changed";
    }),
    tool("logging_tool", async (context) => {
      context.log("info", "An unsolicited line.");
      return "logged";
    }),
    // Capabilities that no client of the scenario announces.
    tool("missing_capability", asking(sample("Anything?"))),
    tool("streaming_elicitation", asking(ask("user_name", "What is your name?", "name"))),
    tool(
      "input_required_result_elicitation",
      asking(ask("user_name", "What is your name?", "name"), ({ answers }) => `Hello, ${userName(answers)}!`),
    ),
    tool("input_required_result_sampling", asking(sample("What is the capital of France?"))),
    tool("input_required_result_list_roots", asking(roots())),
    tool(
      "input_required_result_request_state",
      asking(confirm(), ({ state }) => `state-${stateOf(state)}`),
    ),
    tool(
      "input_required_result_tampered_state",
      asking(confirm(), ({ state }) => `state-${stateOf(state)}`),
    ),
    tool(
      "input_required_result_multiple_inputs",
      asking({
        ...ask("user_name", "What is your name?", "name"),
        ...sample("Generate a greeting", "greeting"),
        ...roots(),
      }),
    ),
    {
      ...tool("custom_headers", async () => "valid"),
      // Clients of 2026-07-28 mirror this parameter in a header (SEP-2243).
      input: Type.Object({
        region: Type.Optional(Type.String({ description: "Any text.", "x-mcp-header": "Region" })),
      }),
    },
    tool("input_required_result_multi_round", rounds),
    tool("input_required_result_capabilities", within),
  ]),
  kit("json", [
    {
      ...tool("schema_2020_12_tool", async () => "valid"),
      // Every keyword that a list of tools must keep (SEP-1613, SEP-2106).
      input: Type.Object(
        {
          name: Type.Optional(Type.String({ description: "Whose address it is." })),
          address: Type.Optional(Type.Ref("#/$defs/address")),
          contactMethod: Type.Optional(
            Type.Enum(["phone", "email"], { description: "How to get in touch." }),
          ),
          phone: Type.Optional(Type.String({ description: "A number." })),
          email: Type.Optional(Type.String({ description: "An address." })),
        },
        wholeSchema(),
      ),
    },
  ]),
];

/** One tool that lasts until it is stopped; reports its start and how it ended. */
export function slowCatalog(begun: () => void, ended: (how: "stopped" | "done") => void): Catalog {
  const slow = tool("wait", async ({ sleep, signal }) => {
    begun();
    await sleep(SLOW_MS).catch(() => undefined);
    ended(signal.aborted ? "stopped" : "done");
    return "done";
  });
  return kit("slow", [slow]);
}

function kit(name: string, tools: readonly ToolDefinition[]): Catalog {
  return {
    toolkit: { name, description: "Fixtures of the conformance suite.", version: "1.0.0" },
    bases: {},
    tools,
  };
}

function tool(name: string, run: (context: ToolContext) => Promise<unknown>): ToolDefinition {
  return defineTool({
    name,
    description: `Fixture ${name} of the conformance suite.`,
    input: Type.Object({}),
    output: Type.Unknown(),
    metadata: {
      behavior: {
        operations: ["opaque"],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
      },
    },
    run: (_input, context) => run(context),
  });
}

async function progress({ caller, sleep }: ToolContext): Promise<string> {
  for (const done of [0, 50, 100]) {
    caller?.progress(done, 100);
    await sleep(STEP_MS);
  }
  return "done";
}

/** Asks until every question has an answer, then returns a text about the answers. */
function asking(requests: Requests, done: (caller: Caller) => string = () => "answered") {
  return async ({ caller }: ToolContext): Promise<string> => {
    const open = Object.keys(requests).filter((key) => caller?.answers[key] === undefined);
    if (caller === undefined || open.length > 0) throw new InputNeeded(requests, "ok");
    return done(caller);
  };
}

/** Two questions, one after the other; the state contains the progress. */
async function rounds({ caller }: ToolContext): Promise<string> {
  if (caller?.state === "second" && caller.answers["step2"] !== undefined) return "complete";
  if (caller?.state === "first" && caller.answers["step1"] !== undefined) {
    throw new InputNeeded(ask("step2", "Step 2: What is your favorite color?", "color"), "second");
  }
  throw new InputNeeded(ask("step1", "Step 1: What is your name?", "name"), "first");
}

/** Asks only questions that the client can answer. */
async function within({ caller }: ToolContext): Promise<string> {
  const all = { ...ask("user_name", "What is your name?", "name"), ...sample("Anything?") };
  const can = caller?.capabilities ?? {};
  const kept = Object.entries(all).filter(([, { method }]) => (method.split("/")[0] ?? "") in can);
  throw new InputNeeded(Object.fromEntries(kept));
}

function ask(key: string, message: string, field: string): Requests {
  const requestedSchema = { type: "object", properties: { [field]: { type: "string" } }, required: [field] };
  return { [key]: { method: "elicitation/create", params: { mode: "form", message, requestedSchema } } };
}

function confirm(): Requests {
  const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
  const params = { mode: "form", message: "Please confirm", requestedSchema };
  return { confirm: { method: "elicitation/create", params } };
}

function sample(text: string, key = "capital_question"): Requests {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { [key]: { method: "sampling/createMessage", params: { messages, maxTokens: 100 } } };
}

function roots(): Requests {
  return { client_roots: { method: "roots/list", params: {} } };
}

function userName(answers: Caller["answers"]): string {
  const { content } = Object(answers["user_name"]);
  return String(Object(content).name);
}

function stateOf(state: Caller["state"]): string {
  if (state !== "ok") throw badInput("The state is not valid.");
  return state;
}

function wholeSchema(): TObjectOptions {
  const ofPhone = { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] };
  const conditions: [string, object][] = [
    ["if", ofPhone],
    ["then", { required: ["phone"] }],
    ["else", { required: ["email"] }],
  ];
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    ...Object.fromEntries(conditions),
    additionalProperties: false,
  };
}
