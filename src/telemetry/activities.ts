// What is measured, for metrics and traces. No value contains a user, a token, an argument, a result, or an address with a
// secret: pages of metrics are read by others than the operator.

/** Which way a call of a tool came in. */
export type Entry = "api" | "mcp" | "chat" | "cli" | "schedule" | "check";

/**
 * The servers that outbound requests go to. The requests of tools have the name of their toolkit instead, those of a
 * worker's toolkit too.
 */
export const HOST_GROUPS = [
  "auth_provider",
  "identity_provider",
  "hook",
  "model",
  "worker",
  "audit",
  "telemetry",
  "check",
  "other",
] as const;
export type HostGroup = (typeof HOST_GROUPS)[number];

/** Work with a beginning and an end. Names may be long, and of others: a metric bounds them. */
export interface Activities {
  /** From the arrival to the head of the answer. `route`: undefined for a path that is not served. */
  request: {
    start: { method: string; route: string | undefined } & TraceHeaders;
    end: { status: number };
  };
  /** A run of a tool, with its hooks. `outcome`: `completed`, the kind of the failure, or `refused`. */
  tool: {
    start: {
      toolkit: string;
      tool: string;
      entry: Entry;
      project: string;
      /** Of the execution log. */
      executionId: string;
      /** By which a model calls it. */
      callId?: string | undefined;
    };
    end: Ended;
  };
  /** `outcome`: the decision, or `failed`. */
  hook: { start: { hook: string; point: string }; end: Ended };
  /** `group`: a `HostGroup` or the name of a toolkit. `url`: undefined for one that is not valid. `outcome`: `ok` for every status, or why there is no answer. */
  egress: {
    start: { group: string; method: string; url: URL | undefined; project: string | undefined };
    end: Ended & { status: number | undefined };
  };
  /** A message of a client of a gateway. `outcome`: `ok`, or `error` for an answer with a JSON-RPC error. */
  mcp: { start: { method: string; gateway: string } & TraceHeaders; end: Ended & { code?: number } };
  /** A request to a model server, to the head of its answer if it streams. `provider`: the protocol that it speaks. */
  model: {
    start: {
      provider: string;
      entry: string;
      /** Its name at the model server. */
      model?: string | undefined;
      operation: "chat" | "embeddings";
      streams: boolean;
      project: string;
    };
    end: Ended & { inputTokens?: number | undefined; outputTokens?: number | undefined };
  };
  /** `outcome`: `refreshed`, `dead`, `superseded`, or `error`. */
  refresh: { start: { provider: string; project: string }; end: Ended };
}

/** The caller's place in a trace (W3C Trace Context); absent: none, or not a valid one. */
export interface TraceHeaders {
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

interface Ended {
  outcome: string;
}

export const DROP_REASONS = ["queue_full", "refused", "unreachable", "rejected", "stopped"] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What happens at one moment. */
export interface Events {
  consent: { event: "begun" | "granted" | "declined" | "failed" };
  /** A request above a limit, by the setting of the limit. */
  refusal: { setting: string };
  /** Spans that did not reach the collector. */
  dropped_spans: { reason: DropReason };
  log_line: { level: string };
}

/** Times that are measured without an activity, because there are many. The label is that of `Measures`. */
export interface Measures {
  read: "main" | "log";
  write: "main" | "log";
  /** How long a write has waited for its transaction. */
  write_wait: "main" | "log";
}

export type Kind = keyof Activities;
export type Start<K extends Kind> = Activities[K]["start"];
export type End<K extends Kind> = Activities[K]["end"];

/** The end of work that threw. */
export const THROWN: { readonly [K in Kind]: End<K> } = {
  request: { status: 500 },
  tool: { outcome: "error" },
  hook: { outcome: "error" },
  egress: { outcome: "error", status: undefined },
  mcp: { outcome: "error" },
  model: { outcome: "error" },
  refresh: { outcome: "error" },
};

/** The end of work that did not say how it ended. */
export const DONE: { readonly [K in Kind]: End<K> } = {
  request: { status: 200 },
  tool: { outcome: "completed" },
  hook: { outcome: "ok" },
  egress: { outcome: "ok", status: undefined },
  mcp: { outcome: "ok" },
  model: { outcome: "ok" },
  refresh: { outcome: "refreshed" },
};
