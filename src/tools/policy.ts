// What decides about calls besides their requirements: rules that a customer's own server makes. Here stands only how
// they are asked; `createRuntime` says who answers.
import type { LiveGrant } from "../connections";
import { toolNotFound, type RuntimeError } from "../errors";
import type { AuthorizationState } from "./requirements";
import type { Tool } from "./registry";
import type { ToolError } from "./tool-error";

export interface ToolPolicy {
  /** The rules of a project; undefined when it has none, which costs a call next to nothing. */
  guardOf(projectId: string): Promise<Guard | undefined>;
}

/** What one rule said about a call, for the execution log. Never a value of the call. */
export interface PolicyDecision {
  /** Id of the rule. */
  hookId: string;
  point: "tool.access" | "tool.pre" | "tool.post";
  decision: "ok" | "override" | "denied" | "rate_limited" | "failed";
  /** Why it failed, and what that led to. */
  reason?: string;
  durationMs: number;
}

export interface GuardedCall {
  executionId: string;
  userId: string;
  tool: Tool;
  authorization: AuthorizationState | undefined;
  grant: LiveGrant | undefined;
  /** Converted and checked: what the tool will get. */
  inputs: { [key: string]: unknown };
  /** Filled while the rules are asked. */
  decisions: PolicyDecision[];
  /** Aborts when the caller is gone. */
  signal: AbortSignal | undefined;
}

/** What the rules changed of a call; each absent when nothing was. */
export interface Changes {
  /** Replaces the inputs whole, and is still to be checked. */
  inputs?: { [key: string]: unknown };
  /** For this one call. */
  secrets?: Readonly<Record<string, string>>;
}

export type GuardedOutcome = { value: unknown } | { error: ToolError };

export interface Guard {
  /** Those of the tools that the user may see, in their order; none when a rule that must hold cannot be asked. */
  visible(userId: string, tools: readonly Tool[]): Promise<readonly Tool[]>;
  /** Whether the user may see the tool that a call names; the error when that cannot be found out. */
  admits(userId: string, tool: Tool, decisions: PolicyDecision[]): Promise<boolean | ToolError>;
  /** Before the run: changes, or the error that takes the run's place. */
  before(call: GuardedCall): Promise<Changes | ToolError>;
  /** After the run, whether it failed or not: its outcome, or another in its place. */
  after(call: GuardedCall, outcome: GuardedOutcome): Promise<GuardedOutcome>;
}

/** A tool that rules hide is as good as not there. */
export function hiddenTool(name: string): RuntimeError {
  return toolNotFound(`There is no tool ${/^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : "of this form"}.`);
}
