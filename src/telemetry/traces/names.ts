// All names of attributes in spans, and where they come from.
//
// HTTP, server, errors, resources: OpenTelemetry semantic conventions 1.44.0 (stable).
// GenAI, MCP: OpenTelemetry GenAI semantic conventions 0.1.0 (status: development). They moved to a repository of their own
// after 1.42.0 of the others.
// `runtime.*`: ours, where the conventions have nothing.

export const HTTP = {
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  scheme: "url.scheme",
  serverAddress: "server.address",
  serverPort: "server.port",
} as const;

export const ERROR_TYPE = "error.type";

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  stream: "gen_ai.request.stream",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  callId: "gen_ai.tool.call.id",
  /** Only for projects of `telemetry.content`. */
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;

export const MCP = {
  method: "mcp.method.name",
  code: "rpc.response.status_code",
} as const;

export const RUNTIME = {
  project: "runtime.project.id",
  toolkit: "runtime.toolkit.name",
  entry: "runtime.entry_point",
  outcome: "runtime.outcome",
  execution: "runtime.execution.id",
  gateway: "runtime.gateway.slug",
  hook: "runtime.hook.id",
  hookPoint: "runtime.hook.point",
  group: "runtime.egress.group",
  model: "runtime.model.id",
  authProvider: "runtime.auth_provider.id",
} as const;

export const RESOURCE = {
  service: "service.name",
  version: "service.version",
  instance: "service.instance.id",
} as const;
