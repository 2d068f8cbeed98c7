// How each kind of work is called in a trace, and with which attributes: the conventions that `names.ts` lists. Paths and
// queries of requests are left out, because they may contain ids of people and secrets.
import type { End, Kind, Start, TraceHeaders } from "../activities";
import { knownMcpMethod, knownMethod, OTHER } from "../methods";
import { ERROR_TYPE, GEN_AI, HTTP, MCP, RUNTIME } from "./names";
import { type Attributes, type Description, SPAN_KIND } from "./span";

type Describe<K extends Kind> = (start: Start<K>, end: End<K>, inner: Description | undefined) => Description;

const NO_HEADERS: TraceHeaders = {};
const DESCRIBE: { readonly [K in Kind]: Describe<K> } = {
  request: describeRequest,
  tool: describeTool,
  hook: describeHook,
  egress: describeEgress,
  mcp: describeMcp,
  model: describeModel,
  refresh: describeRefresh,
};

/**
 * What the span of an activity that has ended has in common with those of equal ones. `endings.ts` lists what makes them
 * equal. `inner`: the tool that was run within it.
 */
export function describe<K extends Kind>(
  kind: K,
  start: Start<K>,
  end: End<K>,
  inner: Description | undefined,
): Description {
  const described = DESCRIBE[kind](start, end, inner);
  const { error, attributes } = described;
  if (error !== undefined) attributes[ERROR_TYPE] = error;
  return described;
}

/** The attributes that differ from span to span. */
export function ownAttributes(start: Start<Kind>, end: End<Kind>): Attributes | undefined {
  if ("executionId" in start)
    return { [GEN_AI.callId]: start.callId, [RUNTIME.execution]: start.executionId };
  if ("inputTokens" in end || "outputTokens" in end)
    return { [GEN_AI.inputTokens]: end.inputTokens, [GEN_AI.outputTokens]: end.outputTokens };
  return undefined;
}

/** The run of a tool, if the activity is one. */
export function toolOf(start: Start<Kind>): Start<"tool"> | undefined {
  return "toolkit" in start ? start : undefined;
}

/** The caller's place in a trace. */
export function traceOf(start: Start<Kind>): TraceHeaders {
  return "traceparent" in start ? start : NO_HEADERS;
}

function describeRequest({ method, route }: Start<"request">, { status }: End<"request">): Description {
  const known = knownMethod(method);
  const template = route === undefined ? undefined : templateOf(route);
  const verb = known === OTHER ? "HTTP" : known;
  return {
    name: template === undefined ? verb : `${verb} ${template}`,
    kind: SPAN_KIND.server,
    attributes: { [HTTP.method]: known, [HTTP.route]: template, [HTTP.status]: status },
    // A mistake of the client is not one of the server.
    error: status >= 500 ? String(status) : undefined,
  };
}

/** `/v1/tools/:name` of the router as the conventions write it. */
function templateOf(route: string): string {
  return route.replace(/:(\w+)\??/g, "{$1}");
}

function describeTool(start: Start<"tool">, { outcome }: End<"tool">): Description {
  const tool = `${start.toolkit}.${start.tool}`;
  return {
    name: `execute_tool ${tool}`,
    kind: SPAN_KIND.internal,
    attributes: {
      [GEN_AI.operation]: "execute_tool",
      [GEN_AI.tool]: tool,
      [GEN_AI.toolType]: "extension",
      [RUNTIME.toolkit]: start.toolkit,
      [RUNTIME.entry]: start.entry,
      [RUNTIME.project]: start.project,
      [RUNTIME.outcome]: outcome,
    },
    error: outcome === "completed" ? undefined : outcome,
  };
}

function describeHook({ hook, point }: Start<"hook">, { outcome }: End<"hook">): Description {
  return {
    name: `hook ${point}`,
    kind: SPAN_KIND.internal,
    attributes: { [RUNTIME.hook]: hook, [RUNTIME.hookPoint]: point, [RUNTIME.outcome]: outcome },
    error: outcome === "failed" || outcome === "error" ? outcome : undefined,
  };
}

function describeEgress(start: Start<"egress">, { status, outcome }: End<"egress">): Description {
  const { url } = start;
  const isFailure = status === undefined || status >= 400;
  return {
    name: start.method,
    kind: SPAN_KIND.client,
    attributes: {
      [HTTP.method]: start.method,
      [HTTP.scheme]: url?.protocol.slice(0, -1),
      [HTTP.serverAddress]: url?.hostname.replace(/^\[(.*)\]$/, "$1"),
      [HTTP.serverPort]: url === undefined ? undefined : portOf(url),
      [HTTP.status]: status,
      [RUNTIME.group]: start.group,
      [RUNTIME.project]: start.project,
    },
    error: isFailure ? String(status ?? outcome) : undefined,
  };
}

function portOf({ port, protocol }: URL): number {
  return port !== "" ? Number(port) : protocol === "https:" ? 443 : 80;
}

function describeMcp(start: Start<"mcp">, { outcome, code }: End<"mcp">, inner?: Description): Description {
  const method = knownMcpMethod(start.method);
  const tool = inner?.attributes[GEN_AI.tool];
  const failed = outcome === "ok" ? undefined : String(code ?? OTHER);
  return {
    name: tool === undefined ? method : `${method} ${tool}`,
    kind: SPAN_KIND.server,
    attributes: {
      [MCP.method]: method,
      [GEN_AI.operation]: tool === undefined ? undefined : "execute_tool",
      [GEN_AI.tool]: tool,
      [MCP.code]: code === undefined ? undefined : String(code),
      [RUNTIME.gateway]: start.gateway,
    },
    error: failed ?? (inner?.error === undefined ? undefined : "tool_error"),
  };
}

function describeModel(start: Start<"model">, end: End<"model">): Description {
  const { provider, model, operation, streams } = start;
  return {
    name: model === undefined ? operation : `${operation} ${model}`,
    kind: SPAN_KIND.client,
    attributes: {
      [GEN_AI.operation]: operation,
      [GEN_AI.provider]: provider,
      [GEN_AI.model]: model,
      [GEN_AI.stream]: streams ? true : undefined,
      [RUNTIME.model]: start.entry,
      [RUNTIME.project]: start.project,
    },
    error: end.outcome === "ok" ? undefined : end.outcome,
  };
}

function describeRefresh({ provider, project }: Start<"refresh">, { outcome }: End<"refresh">): Description {
  return {
    name: "refresh token",
    kind: SPAN_KIND.internal,
    attributes: { [RUNTIME.authProvider]: provider, [RUNTIME.project]: project, [RUNTIME.outcome]: outcome },
    error: outcome === "refreshed" || outcome === "superseded" ? undefined : outcome,
  };
}
