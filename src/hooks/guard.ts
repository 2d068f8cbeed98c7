// Calls the hooks of a chain in order. Each one sees the changes of those before it; the first denial ends the chain.
import { type Json, present } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import {
  type AskedHook,
  type Changes,
  type Guard,
  type GuardedCall,
  type GuardedOutcome,
  inputAs,
  type PolicyDecision,
  ruledBy,
  type Tool,
  type ToolError,
  withReplacements,
} from "../tools";
import type { Activity } from "../telemetry";
import { ignoredFields } from "./answer-fields";
import { type Decision, type Filter, readAccess, readPost, readPre } from "./answers";
import type { Chain, LoadedHook } from "./chains";
import { accessRequest, postRequest, preRequest } from "./contract";
import { changedAsReplacement, denied, unchecked } from "./refusals";
import type { Point } from "./schema";
import { callWebhook, WebhookFailure } from "./webhook";

/** The answer of a hook, or whether its failure stops the call. */
type HookResult<T> = T | { stopped: boolean };

export class ChainGuard implements Guard {
  readonly accessRules: string;
  readonly #core: Core;
  readonly #chain: Chain;
  /** The hooks whose answers had unknown fields. */
  readonly #noted = new Set<string>();

  constructor(core: Core, chain: Chain, accessRules: string) {
    this.accessRules = accessRules;
    this.#core = core;
    this.#chain = chain;
  }

  asked(tool: Tool): readonly AskedHook[] {
    const { access, pre, post } = this.#chain;
    const judging = [...this.#asked(pre, tool), ...this.#asked(post, tool)].map(([hook]) => hook);
    return [...new Set([...access, ...judging])].map(({ id, point, failureMode }) => ({
      hookId: id,
      point,
      failureMode,
    }));
  }

  async seen(userId: string, tools: readonly Tool[]): Promise<readonly Tool[] | ToolError> {
    const { left, failed } = await this.#access(userId, tools, { decisions: [], ...onlyOne(tools) });
    return failed === undefined ? left : unchecked(failed);
  }

  async admits(userId: string, tool: Tool, decisions: PolicyDecision[]): Promise<boolean | ToolError> {
    const { left, failed } = await this.#access(userId, [tool], { decisions, tool });
    return failed === undefined ? left.length > 0 : unchecked(failed);
  }

  async before(call: GuardedCall): Promise<Changes | ToolError> {
    const changes: Changes = {};
    for (const [hook, as] of this.#asked(this.#chain.pre, call.tool)) {
      const shown = shownAs(call, as);
      const result = await this.#call(hook, call, async () =>
        readPre(await this.#answer(hook, "pre", preRequest(shown), call.signal), call.tool),
      );
      if ("stopped" in result) {
        if (result.stopped) return unchecked(hook);
        continue;
      }
      const { verdict, inputs, secrets } = result;
      if (verdict.code !== "OK") return denied(verdict, call.tool);
      if (inputs !== undefined) {
        if (as === call.tool) changes.inputs = call.inputs = inputs;
        else if (!Bun.deepEquals(inputs, shown.inputs)) return changedAsReplacement(call.tool, as);
      }
      if (secrets !== undefined) changes.secrets = { ...changes.secrets, ...secrets };
    }
    return changes;
  }

  async after(call: GuardedCall, outcome: GuardedOutcome): Promise<GuardedOutcome> {
    let judged = outcome;
    for (const [hook, as] of this.#asked(this.#chain.post, call.tool)) {
      const shown = shownAs(call, as);
      const result = await this.#call(hook, call, async () =>
        // Without the signal of the call: the hook must see the outcome even if the caller has disconnected.
        readPost(await this.#answer(hook, "post", postRequest(shown, judged)), judged),
      );
      if ("stopped" in result) {
        if (result.stopped) return { error: unchecked(hook, { tool: call.tool, outcome }) };
        continue;
      }
      const { verdict, output } = result;
      if (verdict.code !== "OK") return { error: denied(verdict, call.tool, outcome) };
      // A hook cannot turn a failed run into a successful one.
      if (output !== undefined && !("error" in judged)) judged = output;
    }
    return judged;
  }

  /** Each hook, first with the name of the tool, then with those of the tools that replace it. */
  #asked(hooks: readonly LoadedHook[], tool: Tool): readonly (readonly [LoadedHook, Tool])[] {
    return hooks.flatMap((hook) => ruledBy(tool).map((as) => [hook, as] as const));
  }

  async #access(
    userId: string,
    tools: readonly Tool[],
    call: { decisions: PolicyDecision[]; tool?: Tool },
  ): Promise<{ left: readonly Tool[]; failed?: LoadedHook }> {
    let left = tools;
    for (const hook of this.#chain.access) {
      if (left.length === 0) break;
      const before = left;
      const result = await this.#call(hook, call, async () => {
        const allowed = before.filter(await this.#filter(hook, userId, before));
        return { allowed, decision: allowed.length === before.length ? "ok" : "denied" };
      });
      if ("allowed" in result) left = result.allowed;
      else if (result.stopped) return { left: [], failed: hook };
    }
    return { left };
  }

  async #filter(hook: LoadedHook, userId: string, tools: readonly Tool[]): Promise<Filter> {
    const { cache } = hook;
    const names = tools.map(({ fullyQualifiedName }) => fullyQualifiedName);
    const key = cache === undefined ? "" : hashOf(JSON.stringify([userId, ...names]));
    const cached = cache?.get(key);
    if (cached !== undefined) return cached;
    const filter = readAccess(
      await this.#answer(hook, "access", accessRequest(userId, withReplacements(tools))),
    );
    // Caches the allowed tools, not the answer, which may be large.
    const left = new Set(tools.filter(filter));
    const allowed: Filter = (tool) => left.has(tool);
    cache?.set(key, allowed);
    return allowed;
  }

  /** The answer of the webhook. Unknown fields are logged once, until the hooks are loaded again. */
  async #answer(hook: LoadedHook, point: Point, body: string, signal?: AbortSignal): Promise<Json> {
    const answer = await callWebhook(this.#core, hook.target, body, signal);
    const fields = ignoredFields(point, answer);
    if (fields.length > 0 && !this.#noted.has(hook.id)) {
      this.#noted.add(hook.id);
      this.#core.log.warn("unknown fields in the answer of a hook were ignored", {
        hook_id: hook.id,
        plugin_id: hook.pluginId,
        fields,
      });
    }
    return answer;
  }

  /** Calls a hook and logs its decision. The failure mode of the hook applies if there is no usable answer. */
  #call<T extends { decision: Decision }>(
    hook: LoadedHook,
    call: Pick<GuardedCall, "decisions"> & Partial<GuardedCall>,
    work: () => Promise<T>,
  ): Promise<HookResult<T>> {
    const start = { hook: hook.id, point: hook.point };
    return this.#core.telemetry.observe("hook", start, (activity) =>
      this.#observed(activity, hook, call, work),
    );
  }

  async #observed<T extends { decision: Decision }>(
    activity: Activity<"hook">,
    hook: LoadedHook,
    call: Pick<GuardedCall, "decisions"> & Partial<GuardedCall>,
    work: () => Promise<T>,
  ): Promise<HookResult<T>> {
    const started = performance.now();
    const decided = (decision: Decision, reason?: string): void => {
      const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
      const made = { hookId: hook.id, point: hook.point, decision, durationMs, ...present({ reason }) };
      activity.end({ outcome: decision });
      call.decisions.push(made);
      this.#log(hook, call, made, reason);
    };
    try {
      const answer = await work();
      decided(answer.decision);
      return answer;
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      decided("failed", `${error.reason}; ${hook.failureMode}`);
      return { stopped: hook.failureMode === "fail_closed" };
    }
  }

  #log(
    hook: LoadedHook,
    { executionId, tool }: Partial<GuardedCall>,
    { decision, durationMs }: Pick<PolicyDecision, "decision" | "durationMs">,
    reason: string | undefined,
  ): void {
    const { log } = this.#core;
    const level = decision === "failed" ? "warn" : decision === "ok" ? "debug" : "info";
    log[level]("hook decided", {
      hook_id: hook.id,
      plugin_id: hook.pluginId,
      hook_point: hook.point,
      execution_id: executionId,
      tool: tool?.fullyQualifiedName,
      decision,
      reason,
      duration_ms: durationMs,
    });
  }
}

/** The tool that the log names: a question about many has none. */
function onlyOne([tool, ...others]: readonly Tool[]): { tool?: Tool } {
  return tool === undefined || others.length > 0 ? {} : { tool };
}

/** The call under the name of a tool that replaces the called one, with the inputs that do the same. */
function shownAs(call: GuardedCall, as: Tool): GuardedCall {
  return as === call.tool ? call : { ...call, tool: as, inputs: inputAs(call.tool, as, call.inputs) };
}
