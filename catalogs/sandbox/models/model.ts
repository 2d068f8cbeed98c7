// A language model for the sandbox: it reads the last message, chooses a tool by its words and fills in the arguments. The
// same conversation always gets the same answer.
import { argumentsFor } from "./arguments";
import { chooseTool, type Offer } from "./choice";
import { resultText } from "./result-text";

export const MODEL = "sandbox-model";

/** A request of chat completions that has passed `faultOf`. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content?: unknown; tool_calls?: unknown }[];
  tools?: { function: { name: string; description?: string; parameters?: unknown } }[];
  tool_choice?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

/** What the model says: a text, or a call. */
export type Said =
  { readonly text: string } | { readonly call: { readonly name: string; readonly arguments: string } };

const GREETING =
  "I am the model of the sandbox: I only match words, so name what a tool should do, for example: send hello to general";

export function answerOf(request: ModelRequest): Said {
  const { messages } = request;
  const results = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const answers = results.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
  if (answers.length > 0) return { text: answers.map(resultText).join("\n") };
  const prompt = textOf(messages.findLast(({ role }) => role === "user")?.content);
  const tool = chooseTool(prompt, offersOf(request), forcedBy(request.tool_choice));
  if (tool === undefined) return { text: GREETING };
  const { values, missing } = argumentsFor(prompt, tool);
  const isForced = request.tool_choice !== undefined && request.tool_choice !== "auto";
  if (missing.length > 0 && !isForced)
    return { text: `I would run ${tool.name}, but these are missing: ${missing.join(", ")}.` };
  return { call: { name: tool.name, arguments: JSON.stringify(values) } };
}

function offersOf({ tools = [], tool_choice: choice }: ModelRequest): Offer[] {
  if (choice === "none") return [];
  return tools.map(({ function: { name, description = "", parameters } }) => ({
    name,
    description,
    parameters: isRecord(parameters) ? parameters : {},
  }));
}

/** The tool that a request demands; true: any. */
function forcedBy(choice: unknown): string | boolean {
  if (choice === "required") return true;
  if (!isRecord(choice) || !isRecord(choice["function"])) return false;
  return String(choice["function"]["name"]);
}

/** Content is a text, or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
