// Requests that servers of the messages protocol refuse, according to their error messages and reference pages.

interface Loose {
  [field: string]: unknown;
}

const FIELDS = [
  "model",
  "max_tokens",
  "messages",
  "system",
  "metadata",
  "output_config",
  "stop_sequences",
  "stream",
  "thinking",
  "tool_choice",
  "tools",
];
/** Newer models refuse them. */
const REMOVED = ["temperature", "top_p", "top_k"];
const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const KEYS: Readonly<Record<string, string[]>> = {
  text: ["type", "text", "cache_control"],
  image: ["type", "source", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
};

/** The first error of such a server; undefined if it would answer. */
export function messagesFault(request: unknown): string | undefined {
  if (!isLoose(request)) return "The request body is not valid JSON";
  const removed = Object.keys(request).find((key) => REMOVED.includes(key));
  if (removed !== undefined) return `\`${removed}\` is deprecated for this model.`;
  const extra = Object.keys(request).find((key) => !FIELDS.includes(key));
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  const {
    model,
    max_tokens: limit,
    messages,
    tools,
    tool_choice: choice,
    stop_sequences: stop,
    system,
  } = request;
  if (typeof model !== "string" || model === "") return "model: Field required";
  if (limit === undefined) return "max_tokens: Field required";
  if (!Number.isInteger(limit) || Number(limit) < 1)
    return "max_tokens: Input should be greater than or equal to 1";
  if (system !== undefined && (typeof system !== "string" || system.trim() === ""))
    return "system: text content blocks must be non-empty";
  if (Array.isArray(stop) && stop.some((one) => String(one).trim() === "")) {
    return "stop_sequences: each stop sequence must contain non-whitespace";
  }
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  return faultOfTools(tools, choice) ?? faultOfMessages(messages, Array.isArray(tools));
}

function faultOfTools(tools: unknown, choice: unknown): string | undefined {
  if (tools !== undefined) {
    if (!Array.isArray(tools)) return "tools: Input should be a valid list";
    const names = new Set<unknown>();
    for (const [index, tool] of tools.entries()) {
      if (!isLoose(tool) || !NAME.test(String(tool["name"])))
        return `tools.${index}.name: String should match pattern`;
      if (names.has(tool["name"])) return "tools: Tool names must be unique.";
      names.add(tool["name"]);
      const extra = Object.keys(tool).find((key) => !["name", "description", "input_schema"].includes(key));
      if (extra !== undefined) return `tools.${index}.${extra}: Extra inputs are not permitted`;
      if (!isLoose(tool["input_schema"]) || tool["input_schema"]["type"] !== "object") {
        return `tools.${index}.input_schema.type: Input should be 'object'`;
      }
    }
  }
  if (choice === undefined) return undefined;
  if (!isLoose(choice)) return "tool_choice: Input should be an object";
  if (tools === undefined) return "tool_choice: may only be specified while providing tools";
  const allowed = { auto: 1, any: 1, tool: 1, none: 0 }[String(choice["type"])];
  if (allowed === undefined) return "tool_choice: Input tag does not match any of the expected tags";
  if (choice["type"] === "none" && Object.keys(choice).length > 1)
    return "tool_choice.none: Extra inputs are not permitted";
  return undefined;
}

function faultOfMessages(messages: readonly unknown[], hasTools: boolean): string | undefined {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    if (!isLoose(message)) return `${place}: Input should be an object`;
    const { role, content } = message;
    if (role !== "user" && role !== "assistant") return `${place}: Unexpected role "${String(role)}".`;
    if (index === 0 && role !== "user") return 'messages: first message must use the "user" role';
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (!Array.isArray(blocks) || blocks.length === 0) return `${place}: content must be non-empty`;
    const fault = blocks
      .map((block, at) => faultOfBlock(block, role, `${place}.content.${at}`, hasTools))
      .find((one) => one !== undefined);
    if (fault !== undefined) return fault;
    const answered = blocks
      .filter(({ type }) => type === "tool_result")
      .map((block) => String(block["tool_use_id"]));
    const stray = answered.find((id) => !open.includes(id));
    if (stray !== undefined) return `${place}: unexpected tool_use_id found in tool_result blocks: ${stray}`;
    if (new Set(answered).size !== answered.length)
      return `${place}: each tool_use must have a single result`;
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0)
      return `messages.${index - 1}: tool_use ids were found without tool_result blocks immediately after: ${missing.join(", ")}`;
    const lastResult = blocks.findLastIndex(({ type }) => type === "tool_result");
    if (lastResult >= answered.length) return `${place}: tool_result blocks must come first in the content`;
    open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    if (new Set(open).size !== open.length) return `${place}: tool_use ids must be unique`;
    const last = blocks.at(-1);
    if (index === messages.length - 1 && role === "assistant" && /\s$/.test(String(last?.text ?? ""))) {
      return "messages: final assistant content cannot end with trailing whitespace";
    }
  }
  return open.length === 0
    ? undefined
    : `tool_use ids were found without tool_result blocks: ${open.join(", ")}`;
}

function faultOfBlock(block: unknown, role: string, place: string, hasTools: boolean): string | undefined {
  if (!isLoose(block)) return `${place}: Input should be an object`;
  const { type, text, source, id, name, input, tool_use_id: answers } = block;
  const keys = KEYS[String(type)];
  if (keys === undefined)
    return `${place}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`;
  const extra = Object.keys(block).find((key) => !keys.includes(key));
  if (extra !== undefined) return `${place}.${String(type)}.${extra}: Extra inputs are not permitted`;
  if (type === "text")
    return typeof text === "string" && text.trim() !== ""
      ? undefined
      : `${place}: text content blocks must contain non-whitespace text`;
  if (type === "thinking" || type === "redacted_thinking") {
    if (role !== "assistant") return `${place}: thinking blocks can only be in assistant messages`;
    return typeof block["signature"] === "string" || typeof block["data"] === "string"
      ? undefined
      : `${place}.thinking.signature: Field required`;
  }
  if (type === "image") {
    const kind = isLoose(source) ? source["type"] : undefined;
    return kind === "base64" || kind === "url"
      ? undefined
      : `${place}.image.source: does not match any of the expected tags`;
  }
  if (!hasTools) return "Requests which include `tool_use` or `tool_result` blocks must define tools";
  if (type === "tool_use") {
    if (role !== "assistant") return `${place}: tool_use blocks can only be in assistant messages`;
    if (!ID.test(String(id))) return `${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (!NAME.test(String(name))) return `${place}.tool_use.name: String should match pattern`;
    return isLoose(input) ? undefined : `${place}.tool_use.input: Input should be a valid dictionary`;
  }
  if (role !== "user") return `${place}: tool_result blocks can only be in user messages`;
  if (!ID.test(String(answers))) return `${place}.tool_result.tool_use_id: String should match pattern`;
  const { content } = block;
  if (content === undefined || typeof content === "string") return undefined;
  if (!Array.isArray(content)) return `${place}.tool_result.content: Input should be a valid list`;
  return content
    .map((one, at) =>
      isLoose(one) && (one["type"] === "text" || one["type"] === "image")
        ? faultOfBlock(one, role, `${place}.content.${at}`, hasTools)
        : `${place}.tool_result.content.${at}: does not match any of the expected tags`,
    )
    .find((one) => one !== undefined);
}

function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
