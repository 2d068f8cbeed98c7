// Requests that servers of chat completions refuse, according to their error messages and reference pages.

interface Loose {
  [field: string]: unknown;
}

const ROLES = ["system", "developer", "user", "assistant", "tool"];
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const CHOICES = ["none", "auto", "required"];

/** The first error of such a server; undefined if it would answer. */
export function faultOf(request: unknown): string | undefined {
  if (!isLoose(request)) return "We could not parse the JSON body of your request.";
  const { model, messages, tools, tool_choice: choice, stream, stream_options: options } = request;
  if (typeof model !== "string") return "you must provide a model parameter";
  if (!Array.isArray(messages) || messages.length === 0) return "[] is too short - 'messages'";
  if (options !== undefined && stream !== true) return "'stream_options' is only allowed with 'stream'";
  return faultOfMessages(messages) ?? faultOfTools(tools) ?? faultOfChoice(choice, tools);
}

function faultOfMessages(messages: readonly unknown[]): string | undefined {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isLoose(message) || !ROLES.includes(String(message["role"])))
      return `Invalid value: messages[${index}].role`;
    const { role, tool_calls: calls, tool_call_id: answered, content } = message;
    if (role === "tool") {
      if (open[0] === undefined) return `messages[${index}]: 'tool' must follow a message with 'tool_calls'`;
      if (!open.includes(String(answered))) return `messages[${index}]: no such tool_call_id`;
      if (typeof content !== "string" && !Array.isArray(content))
        return `messages[${index}].content is missing`;
      open = open.filter((id) => id !== answered);
      continue;
    }
    if (open.length > 0) return `tool_call_ids did not have response messages: ${open.join(", ")}`;
    if (role !== "assistant" && (content === null || content === undefined))
      return `messages[${index}].content is null`;
    if (role === "assistant" && calls === undefined && (content === null || content === undefined)) {
      return `messages[${index}]: content or tool_calls must be given`;
    }
    const found = calls === undefined ? [] : idsOf(calls);
    if (typeof found === "string") return `messages[${index}]: ${found}`;
    open = found;
  }
  return open.length === 0 ? undefined : `tool_call_ids did not have response messages: ${open.join(", ")}`;
}

function idsOf(calls: unknown): string[] | string {
  if (!Array.isArray(calls) || calls.length === 0) return "[] is too short - 'tool_calls'";
  const ids: string[] = [];
  for (const call of calls) {
    if (!isLoose(call) || call["type"] !== "function") return "tool_calls[].type must be function";
    const called = call["function"];
    if (!isLoose(called) || !NAME.test(String(called["name"])))
      return "tool_calls[].function.name is not valid";
    if (!isJsonObject(called["arguments"])) return "tool_calls[].function.arguments is not a JSON object";
    const id = call["id"];
    if (typeof id !== "string" || id === "" || ids.includes(id)) return "tool_calls[].id must be given once";
    ids.push(id);
  }
  return ids;
}

function faultOfTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "[] is too short - 'tools'";
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (!isLoose(tool) || tool["type"] !== "function") return `tools[${index}].type must be function`;
    const called = tool["function"];
    if (!isLoose(called) || !NAME.test(String(called["name"])))
      return `tools[${index}].function.name is not valid`;
    if (names.has(String(called["name"]))) return `tools[${index}]: the name is repeated`;
    names.add(String(called["name"]));
    const { parameters } = called;
    if (parameters !== undefined && (!isLoose(parameters) || parameters["type"] !== "object")) {
      return `tools[${index}].function.parameters must be of type object`;
    }
  }
  return undefined;
}

function faultOfChoice(choice: unknown, tools: unknown): string | undefined {
  if (choice === undefined) return undefined;
  if (tools === undefined) return "'tool_choice' is only allowed when 'tools' are specified";
  if (typeof choice === "string") return CHOICES.includes(choice) ? undefined : `Invalid value: '${choice}'`;
  const called = isLoose(choice) && choice["type"] === "function" ? choice["function"] : undefined;
  if (!isLoose(called)) return "tool_choice has the wrong form";
  const known =
    Array.isArray(tools) &&
    tools.some(
      (tool) => isLoose(tool) && isLoose(tool["function"]) && tool["function"]["name"] === called["name"],
    );
  return known ? undefined : "tool_choice names no tool";
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === "string" && isLoose(JSON.parse(text));
  } catch {
    return false;
  }
}

function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
