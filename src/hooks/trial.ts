// Trying a plugin's webhooks with a sample, as calls would ask them: whether they can be reached, what they answer, and
// what that answer would mean. Nothing is run and nothing is stored.
import { type Static, Type } from "typebox";
import { isObject, type Json } from "../base";
import type { Core } from "../core";
import { newId } from "../crypto";
import { notFound } from "../errors";
import type { Principal } from "../identity";
import type { GuardedCall, Tool } from "../tools";
import { overriddenInputs, overriddenOutput, overriddenSecrets, readAccess, readVerdict } from "./answers";
import type { Bindings } from "./bindings";
import { targetOf } from "./chains";
import { accessRequest, postRequest, preRequest } from "./contract";
import { unknownPlugin } from "./plugins";
import { findPlugin } from "./repository";
import type { Point } from "./schema";
import { DEFAULT_TIMEOUT_MS, HOOK_POINTS, POINTS } from "./terms";
import { webhookOf } from "./stored";
import { ask, WebhookFailure } from "./webhook";

export const PluginTrialResponse = Type.Object({
  plugin_id: Type.String(),
  tool: Type.String({ description: "The tool of the sample." }),
  ok: Type.Boolean({ description: "Every endpoint gave an answer that fits the contract." }),
  results: Type.Array(
    Type.Object({
      hook_point: Type.Enum([...HOOK_POINTS]),
      url: Type.String(),
      decision: Type.Enum(["ok", "override", "denied", "rate_limited", "failed"]),
      reason: Type.Optional(Type.String({ description: "Why the answer is none." })),
      answer: Type.Optional(
        Type.Unknown({ description: "The webhook's answer as it came, without the values of secrets." }),
      ),
      duration_ms: Type.Number(),
    }),
  ),
});

export type PluginTrial = Static<typeof PluginTrialResponse>;
type Result = PluginTrial["results"][number];
type Sample = { tool: Tool; call: GuardedCall };

const USER = "user@example.com";
const HIDDEN = "[redacted]";

export class Trials {
  readonly #core: Core;
  readonly #bindings: Bindings;
  readonly #tools: readonly Tool[];

  constructor(core: Core, bindings: Bindings, tools: readonly Tool[]) {
    this.#core = core;
    this.#bindings = bindings;
    this.#tools = tools;
  }

  /** Asks each endpoint of the plugin once, whatever its status. Throws `not_found`. */
  async try({ projectId }: Principal, id: string): Promise<PluginTrial> {
    const scope = await this.#bindings.scopeOf(projectId);
    const plugin = await findPlugin(this.#core.store, scope, id);
    if (plugin === undefined) throw unknownPlugin();
    const sample = this.#sample();
    const results: Result[] = [];
    for (const point of POINTS) {
      const endpoint = webhookOf(plugin).endpoints[point];
      if (endpoint === undefined) continue;
      const { url, timeout_ms = DEFAULT_TIMEOUT_MS } = endpoint;
      const target = await targetOf(this.#core, plugin, url, timeout_ms);
      results.push({ hook_point: `tool.${point}`, url, ...(await this.#ask(point, sample, target)) });
    }
    const ok = results.every(({ decision }) => decision !== "failed");
    return { plugin_id: id, tool: sample.tool.qualifiedName, ok, results };
  }

  #sample(): Sample {
    const tool = this.#tools.find(({ definition }) => definition.replacement === undefined);
    if (tool === undefined) throw notFound("There are no tools to make a sample of.");
    const { clock, random } = this.#core;
    return {
      tool,
      call: {
        executionId: newId("tc", clock.now(), random),
        userId: USER,
        tool,
        authorization: undefined,
        grant: undefined,
        inputs: {},
        decisions: [],
        signal: undefined,
      },
    };
  }

  async #ask(
    point: Point,
    { tool, call }: Sample,
    target: Parameters<typeof ask>[1],
  ): Promise<Omit<Result, "hook_point" | "url">> {
    const body = {
      access: () => accessRequest(USER, [tool]),
      pre: () => preRequest(call),
      post: () => postRequest(call, { value: { sample: true } }),
    }[point]();
    const started = performance.now();
    const took = (): number => Math.round(performance.now() - started);
    let answer: Json | undefined;
    try {
      answer = await ask(this.#core, target, body);
      return { decision: meaningOf(point, answer, tool), answer: shown(answer), duration_ms: took() };
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      const given = answer === undefined ? {} : { answer: shown(answer) };
      return { decision: "failed", reason: error.reason, ...given, duration_ms: took() };
    }
  }
}

// Values of secrets are for tools: who tries a plugin of the organization may not even be the one who keeps them.
function shown(answer: Json): Json {
  const override = isObject(answer) ? answer["override"] : undefined;
  if (!isObject(answer) || !isObject(override) || (override["secrets"] ?? null) === null) return answer;
  const { secrets } = override;
  const masked = Array.isArray(secrets) ? secrets.map(withoutValues) : HIDDEN;
  return { ...answer, override: { ...override, secrets: masked } };
}

function withoutValues(entry: Json): Json {
  return isObject(entry) ? Object.fromEntries(Object.keys(entry).map((key) => [key, HIDDEN])) : HIDDEN;
}

function meaningOf(point: Point, answer: Json, tool: Tool): Result["decision"] {
  if (point === "access") return readAccess(answer)(tool) ? "ok" : "denied";
  const verdict = readVerdict(answer);
  if (verdict.code === "CHECK_FAILED") return "denied";
  if (verdict.code === "RATE_LIMIT_EXCEEDED") return "rate_limited";
  if (point === "post") return overriddenOutput(verdict) === undefined ? "ok" : "override";
  const changes = [overriddenInputs(verdict), overriddenSecrets(verdict)];
  return changes.every((change) => change === undefined) ? "ok" : "override";
}
