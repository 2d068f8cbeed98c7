// How each kind of work is called in a trace, and with which attributes: the conventions that `names.ts` lists. Paths and
// queries of requests are left out, because they may contain ids of people and secrets.
import type { End, Entry, Kind, Start, TraceHeaders } from "../activities";
import { ERROR_TYPE, GEN_AI, HTTP, KNOWN_METHODS, MCP, MCP_METHODS, OTHER, RUNTIME } from "./names";
import { type Attributes, SPAN_KIND, type SpanKind } from "./span";

export interface Description {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** `error.type`; undefined: it succeeded. */
  error: string | undefined;
}

/** The tool that was run within a span. */
export interface Inner {
  tool: string;
  hasFailed: boolean;
}

type Describe<K extends Kind> = (start: Start<K>, end: End<K>, inner: Inner | undefined) => Description;

const DESCRIBE: { readonly [K in Kind]: Describe<K> } = {
  request: describeRequest,
  tool: describeTool,
  hook: describeHook,
  egress: describeEgress,
  mcp: describeMcp,
  model: describeModel,
  refresh: describeRefresh,
};

/** The span of an activity that has ended. */
export function describe<K extends Kind>(
  kind: K,
  start: Start<K>,
  end: End<K>,
  inner: Inner | undefined,
): Description {
  const described = DESCRIBE[kind](start, end, inner);
  const { error, attributes } = described;
  if (error !== undefined) attributes[ERROR_TYPE] = error;
  return described;
}

/** The run of a tool, if the activity is one. */
export function toolOf(start: Start<Kind>): { name: string; project: string; entry: Entry } | undefined {
  if (!("toolkit" in start)) return undefined;
  const { toolkit, tool, project, entry } = start;
  return { name: `${toolkit}.${tool}`, project, entry };
}

/** The caller's place in a trace. */
export function traceOf(start: Start<Kind>): TraceHeaders {
  return "traceparent" in start ? start : {};
}

function describeRequest({ method, route }: Start<"request">, { status }: End<"request">): Description {
  const known = KNOWN_METHODS.has(method) ? method : OTHER;
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
  const tool = toolOf(start)?.name;
  return {
    name: `execute_tool ${tool}`,
    kind: SPAN_KIND.internal,
    attributes: {
      [GEN_AI.operation]: "execute_tool",
      [GEN_AI.tool]: tool,
      [GEN_AI.toolType]: "extension",
      [GEN_AI.callId]: start.callId,
      [RUNTIME.toolkit]: start.toolkit,
      [RUNTIME.entry]: start.entry,
      [RUNTIME.project]: start.project,
      [RUNTIME.execution]: start.executionId,
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
  const url = start.url();
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

function describeMcp(start: Start<"mcp">, { outcome, code }: End<"mcp">, inner?: Inner): Description {
  // A client may send any text as a method.
  const method = MCP_METHODS.has(start.method) ? start.method : OTHER;
  const failed = outcome === "ok" ? undefined : String(code ?? OTHER);
  return {
    name: inner === undefined ? method : `${method} ${inner.tool}`,
    kind: SPAN_KIND.server,
    attributes: {
      [MCP.method]: method,
      [GEN_AI.operation]: inner === undefined ? undefined : "execute_tool",
      [GEN_AI.tool]: inner?.tool,
      [MCP.code]: code === undefined ? undefined : String(code),
      [RUNTIME.gateway]: start.gateway,
    },
    error: failed ?? (inner?.hasFailed === true ? "tool_error" : undefined),
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
      [GEN_AI.inputTokens]: end.inputTokens,
      [GEN_AI.outputTokens]: end.outputTokens,
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
