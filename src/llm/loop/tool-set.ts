// The tools of a request: names of this server's tools and functions of the caller, in the form that model servers take.
import { isObject } from "../../base";
import { forbidden, invalidParameter, malformedRequest, RuntimeError, toolNotFound } from "../../errors";
import { actFor, type Principal } from "../../identity";
import { type Tool, type Tools, toolForModels } from "../../tools";
import type { RunnableTools } from "../model-schema";
import type { ChatRequest } from "../schema";

/** What the server does with the calls of a model. */
export type Running = "execute" | "generate";

export interface ToolSet {
  /** Function objects. */
  definitions: readonly unknown[];
  /** `tool_choice` for the model server; undefined if the request has none. */
  choice: unknown;
  /** How this server runs calls; undefined if the caller runs them. */
  running: Running | undefined;
  /** The user whom tools run for; only used if this server runs them. */
  userId: string;
  /** A tool of this server by the name that the model uses. */
  find(name: string): Tool | undefined;
  /** Whether the model may call a tool with this name, of this server or of the caller. */
  has(name: string): boolean;
}

/** Whether a request uses tools of this server. If not, it is passed on unchanged. */
export function usesOwnTools({ tools = [], tool_choice: choice }: ChatRequest): boolean {
  return runningOf(choice) !== undefined || tools.some((tool) => typeof tool === "string");
}

/**
 * Throws `tool_not_found` for a name that is not among the user's tools, `invalid_parameter` for contradicting tools,
 * `forbidden` if the project runs only tools that read, `internal_error` if the hook for a tool cannot be reached.
 */
export async function toolSetOf(
  tools: Tools,
  principal: Principal,
  request: ChatRequest,
  runnable: RunnableTools,
): Promise<ToolSet> {
  const { tools: given = [], tool_choice: choice } = request;
  const running = runningOf(choice);
  if (running !== undefined && given.length === 0) {
    throw invalidParameter(`tools is required with tool_choice ${running}. Name at least one tool.`);
  }
  const userId = userOf(principal, request, running);
  const own = new Map<string, Tool>();
  const functions = new Map<string, unknown>();
  for (const item of given) {
    const name = typeof item === "string" ? item : item.function?.name;
    const tool = await toolOf(tools, principal, userId, item, running);
    if (tool !== undefined) own.set(tool.modelName, tool);
    else if (name !== undefined) functions.set(name, item);
    else throw malformedRequest("tools: an entry has neither a name nor a function.");
  }
  const duplicate = [...functions.keys()].find((name) => own.has(name));
  if (duplicate !== undefined)
    throw invalidParameter("tools: one of your functions has the name of a tool of this server. Rename it.");
  const writing = [...own.values()].find(({ definition }) => !definition.metadata.behavior.read_only);
  if (running !== undefined && runnable === "read_only" && writing !== undefined) {
    throw forbidden(
      `Chat completions of this project run only tools that read, but ${writing.qualifiedName} writes.`,
    );
  }
  const folded = new Map([...own].map(([name, tool]) => [name.toLowerCase(), tool]));
  return {
    definitions: [...[...own.values()].map(toolForModels), ...functions.values()],
    choice: running === undefined ? choiceOf(choice, own, functions) : "auto",
    running,
    userId: userId ?? "",
    find: (name) => folded.get(name.toLowerCase()) ?? folded.get(name.replaceAll(".", "_").toLowerCase()),
    has: (name) => own.has(name) || functions.has(name),
  };
}

function runningOf(choice: ChatRequest["tool_choice"]): Running | undefined {
  return choice === "execute" || choice === "generate" ? choice : undefined;
}

function userOf(
  principal: Principal,
  { user }: ChatRequest,
  running: Running | undefined,
): string | undefined {
  if (principal.kind === "user" || user !== undefined) return actFor(principal, user);
  if (running === undefined) return undefined;
  const message = `user is required with tool_choice ${running}: tools run for a user, and a project API key does not name one.`;
  throw malformedRequest(message, { fieldErrors: [{ field: "user", rule: "required", message }] });
}

// A function object of a tool of this server (as `formatted_tools` returns it) is run like the tool itself.
async function toolOf(
  tools: Tools,
  principal: Principal,
  userId: string | undefined,
  item: NonNullable<ChatRequest["tools"]>[number],
  running: Running | undefined,
): Promise<Tool | undefined> {
  if (typeof item === "string") return tools.find(principal, userId, item);
  const name = item.function?.name;
  if (running === undefined || name === undefined) return undefined;
  try {
    return await tools.find(principal, userId, name);
  } catch (error) {
    if (error instanceof RuntimeError && error.status === 400) return undefined;
    throw error;
  }
}

/** The choice with the name that the model uses. */
function choiceOf(
  choice: unknown,
  own: ReadonlyMap<string, Tool>,
  functions: ReadonlyMap<string, unknown>,
): unknown {
  if (!isObject(choice)) return choice;
  const called = isObject(choice["function"]) ? choice["function"]["name"] : undefined;
  if (typeof called !== "string") throw malformedRequest("tool_choice must name a function.");
  if (functions.has(called) || own.has(called)) return choice;
  const tool = [...own.values()].find((one) => [one.qualifiedName, one.fullyQualifiedName].includes(called));
  if (tool === undefined) throw toolNotFound("tool_choice names a tool that is not in tools.");
  return { type: "function", function: { name: tool.modelName } };
}
