// The interface for hooks, which decide about calls in addition to requirements. `createRuntime` provides the
// implementation.
import type { LiveGrant } from "../connections";
import { toolNotFound, type RuntimeError } from "../errors";
import type { AuthorizationState } from "./requirements";
import type { Tool } from "./registry";
import type { ToolError } from "./tool-error";

export interface ToolPolicy {
  /** The hooks of a project; undefined without hooks, which costs a call almost nothing. */
  guardOf(projectId: string): Promise<Guard | undefined>;
}

/** The decision of one hook about a call, for the execution log. Contains no values of the call. */
export interface PolicyDecision {
  /** Id of the hook. */
  hookId: string;
  point: "tool.access" | "tool.pre" | "tool.post";
  decision: "ok" | "override" | "denied" | "rate_limited" | "failed";
  /** Why it failed, and the consequence. */
  reason?: string;
  durationMs: number;
}

export interface GuardedCall {
  executionId: string;
  userId: string;
  tool: Tool;
  authorization: AuthorizationState | undefined;
  grant: LiveGrant | undefined;
  /** The converted and checked input of the tool. */
  inputs: { [key: string]: unknown };
  /** Filled while hooks are called. */
  decisions: PolicyDecision[];
  /** Aborts when the caller disconnects. */
  signal: AbortSignal | undefined;
}

/** The changes of hooks to a call; absent if nothing was changed. */
export interface Changes {
  /** Replaces all inputs; not yet checked. */
  inputs?: { [key: string]: unknown };
  /** For this one call. */
  secrets?: Readonly<Record<string, string>>;
}

export type GuardedOutcome = { value: unknown } | { error: ToolError };

/** A hook that a call would ask. */
export interface AskedHook {
  hookId: string;
  point: PolicyDecision["point"];
  failureMode: "fail_closed" | "fail_open";
}

export interface Guard {
  /** Another text after each change of the rules by which `seen` decides; empty if it hides nothing. */
  readonly accessRules: string;
  /** The hooks that a call of the tool would ask, in their order, without asking them. */
  asked(tool: Tool): readonly AskedHook[];
  /** The tools that the user may see, in their order; the error if that cannot be determined. */
  seen(userId: string, tools: readonly Tool[]): Promise<readonly Tool[] | ToolError>;
  /** Whether the user may see the tool of a call; the error if that cannot be determined. */
  admits(userId: string, tool: Tool, decisions: PolicyDecision[]): Promise<boolean | ToolError>;
  /** Before the run: changes, or an error instead of the run. */
  before(call: GuardedCall): Promise<Changes | ToolError>;
  /** After the run, also a failed one: its outcome or a replacement. */
  after(call: GuardedCall, outcome: GuardedOutcome): Promise<GuardedOutcome>;
}

/** The error for a hidden tool: the same as for a missing one. */
export function hiddenTool(name: string): RuntimeError {
  return toolNotFound(`There is no tool ${/^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : "with this name"}.`);
}
