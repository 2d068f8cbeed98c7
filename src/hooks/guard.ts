// The chain at work: hooks are asked one after the other, each sees what the earlier ones left, the first denial ends it.
import type { Core } from "../core";
import { hashOf } from "../crypto";
import type { Changes, Guard, GuardedCall, GuardedOutcome, PolicyDecision, Tool, ToolError } from "../tools";
import {
  type Filter,
  overriddenInputs,
  overriddenOutput,
  overriddenSecrets,
  readAccess,
  readVerdict,
  type Verdict,
} from "./answers";
import type { Chain, LoadedHook } from "./chains";
import { accessRequest, postRequest, preRequest } from "./contract";
import { denied, unchecked } from "./refusals";
import { ask, WebhookFailure } from "./webhook";

type Decision = PolicyDecision["decision"];

/** What one hook said: its answer, or `undefined` when it said nothing and that lets things pass. */
type Heard<T> = { answer: T } | { stopped: boolean };

export class ChainGuard implements Guard {
  readonly #core: Core;
  readonly #chain: Chain;

  constructor(core: Core, chain: Chain) {
    this.#core = core;
    this.#chain = chain;
  }

  async visible(userId: string, tools: readonly Tool[]): Promise<readonly Tool[]> {
    const { left } = await this.#access(userId, tools, { decisions: [] });
    return left;
  }

  async admits(userId: string, tool: Tool, decisions: PolicyDecision[]): Promise<boolean | ToolError> {
    const { left, failed } = await this.#access(userId, [tool], { decisions, tool });
    return failed === undefined ? left.length > 0 : unchecked(failed, tool);
  }

  async before(call: GuardedCall): Promise<Changes | ToolError> {
    const changes: Changes = {};
    for (const hook of this.#chain.pre) {
      const heard = await this.#hear(hook, call, () => this.#preVerdict(hook, call));
      if ("stopped" in heard) {
        if (heard.stopped) return unchecked(hook, call.tool);
        continue;
      }
      const { verdict, inputs, secrets } = heard.answer;
      if (verdict.code !== "OK") return denied(verdict, call.tool);
      if (inputs !== undefined) changes.inputs = call.inputs = inputs;
      if (secrets !== undefined) changes.secrets = { ...changes.secrets, ...secrets };
    }
    return changes;
  }

  async after(call: GuardedCall, outcome: GuardedOutcome): Promise<GuardedOutcome> {
    let judged = outcome;
    for (const hook of this.#chain.post) {
      const heard = await this.#hear(hook, call, () => this.#postVerdict(hook, call, judged));
      if ("stopped" in heard) {
        if (heard.stopped) return { error: unchecked(hook, call.tool, outcome) };
        continue;
      }
      const { verdict, output } = heard.answer;
      if (verdict.code !== "OK") return { error: denied(verdict, call.tool, outcome) };
      // A failure stays one, whatever the hook puts beside it.
      if (output !== undefined && !("error" in judged)) judged = output;
    }
    return judged;
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
      const heard = await this.#hear(hook, call, async () => {
        const answer = before.filter(await this.#filter(hook, userId, before));
        return { answer, decision: answer.length === before.length ? "ok" : "denied" };
      });
      if ("answer" in heard) left = heard.answer;
      else if (heard.stopped) return { left: [], failed: hook };
    }
    return { left };
  }

  async #filter(hook: LoadedHook, userId: string, tools: readonly Tool[]): Promise<Filter> {
    const { cache, target } = hook;
    const names = tools.map(({ fullyQualifiedName }) => fullyQualifiedName);
    const key = cache === undefined ? "" : hashOf(JSON.stringify([userId, ...names]));
    const known = cache?.get(key);
    if (known !== undefined) return known;
    const filter = readAccess(await ask(this.#core, target, accessRequest(userId, tools)));
    // What the answer leaves of these tools, not the answer: that may be large.
    const left = new Set(tools.filter(filter));
    const kept: Filter = (tool) => left.has(tool);
    cache?.set(key, kept);
    return kept;
  }

  async #preVerdict(hook: LoadedHook, call: GuardedCall) {
    const verdict = readVerdict(await ask(this.#core, hook.target, preRequest(call), call.signal));
    const inputs = overriddenInputs(verdict);
    const secrets = overriddenSecrets(verdict);
    const changed = inputs !== undefined || secrets !== undefined;
    return { answer: { verdict, inputs, secrets }, decision: decisionOf(verdict, changed) };
  }

  /** The caller may be gone by now; what was done is judged all the same. */
  async #postVerdict(hook: LoadedHook, call: GuardedCall, outcome: GuardedOutcome) {
    const verdict = readVerdict(await ask(this.#core, hook.target, postRequest(call, outcome)));
    const output = overriddenOutput(verdict);
    const changed = output !== undefined && !("error" in outcome);
    return { answer: { verdict, output }, decision: decisionOf(verdict, changed) };
  }

  /** Asks, and says in the log what came of it. Whatever is no usable answer is what the hook's failure mode makes of it. */
  async #hear<T>(
    hook: LoadedHook,
    call: Pick<GuardedCall, "decisions"> & Partial<GuardedCall>,
    work: () => Promise<{ answer: T; decision: Decision }>,
  ): Promise<Heard<T>> {
    const started = performance.now();
    const decided = (decision: Decision, reason?: string): void => {
      const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
      const made = { hookId: hook.id, point: hook.point, decision, durationMs };
      call.decisions.push(reason === undefined ? made : { ...made, reason });
      this.#log(hook, call, made, reason);
    };
    try {
      const { answer, decision } = await work();
      decided(decision);
      return { answer };
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

function decisionOf({ code }: Verdict, changed: boolean): Decision {
  if (code === "CHECK_FAILED") return "denied";
  if (code === "RATE_LIMIT_EXCEEDED") return "rate_limited";
  return changed ? "override" : "ok";
}
