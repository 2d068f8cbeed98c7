// Finish reasons: servers have more of them than the protocol.

const REASONS: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  tool_use: "tool_calls",
  content_filter: "content_filter",
  refusal: "content_filter",
  safety: "content_filter",
  sensitive: "content_filter",
};

/** A finish reason of the protocol. The reason of a server may contradict its content: the content counts. */
export function finishOf(reason: unknown, hasCalls: boolean): string {
  const known = typeof reason === "string" ? (REASONS[reason.toLowerCase()] ?? "stop") : "stop";
  if (known === "content_filter") return known;
  if (hasCalls) return "tool_calls";
  return known === "tool_calls" ? "stop" : known;
}
