// Methods of requests and messages. Clients may send any text as one, so those that are not
// standardized count as one.

/** In place of a value that the conventions or we do not name, because callers choose it. */
export const OTHER = "_OTHER";

/** Methods that the semantic conventions of OpenTelemetry name. */
const HTTP_METHODS: ReadonlySet<string> = new Set([
  "CONNECT",
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
  "TRACE",
  "QUERY",
]);

/** Methods of MCP that clients of gateways may send (revisions 2025-03-26 to 2026-07-28). */
const MCP_METHODS: ReadonlySet<string> = new Set([
  "completion/complete",
  "initialize",
  "logging/setLevel",
  "notifications/cancelled",
  "notifications/elicitation/complete",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "server/discover",
  "subscriptions/listen",
  "tools/call",
  "tools/list",
]);

export function knownMethod(method: string): string {
  return HTTP_METHODS.has(method) ? method : OTHER;
}

export function knownMcpMethod(method: string): string {
  return MCP_METHODS.has(method) ? method : OTHER;
}
