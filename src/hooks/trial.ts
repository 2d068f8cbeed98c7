// Tests the webhooks of a plugin with a sample call: whether they can be reached, what they answer, and the resulting
// decision. No tool is run, and nothing is stored but an audit entry.
import { type Static, Type } from "typebox";
import { unknownPlugin } from "./rows";
import type { Events } from "../audit";
import { isObject, type Json } from "../base";
import type { Core } from "../core";
import { newId } from "../crypto";
import { notFound } from "../errors";
import type { Principal } from "../identity";
import type { GuardedCall, Tool } from "../tools";
import { readAccess, readPost, readPre } from "./answers";
import type { Bindings } from "./bindings";
import { targetOf } from "./chains";
import { accessRequest, postRequest, preRequest } from "./contract";
import { findPlugin } from "./repository";
import type { Point } from "./schema";
import { DEFAULT_TIMEOUT_MS, HOOK_POINTS, POINTS } from "./terms";
import { webhookOf } from "./stored";
import { callWebhook, WebhookFailure } from "./webhook";

export const PluginTrialResponse = Type.Object({
  plugin_id: Type.String(),
  tool: Type.String({ description: "The tool of the sample." }),
  ok: Type.Boolean({ description: "Whether every endpoint gave a valid answer." }),
  results: Type.Array(
    Type.Object({
      hook_point: Type.Enum([...HOOK_POINTS]),
      url: Type.String(),
      decision: Type.Enum(["ok", "override", "denied", "rate_limited", "failed"]),
      reason: Type.Optional(Type.String({ description: "Why there is no usable answer." })),
      answer: Type.Optional(
        Type.Unknown({ description: "The answer of the webhook, without values of secrets." }),
      ),
      duration_ms: Type.Number(),
    }),
  ),
});

export type PluginTrial = Static<typeof PluginTrialResponse>;
type Result = PluginTrial["results"][number];
type Sample = { tool: Tool; call: GuardedCall };

const USER = "user@example.com";
const SAMPLE_OUTCOME = { value: { sample: true } };
const HIDDEN = "[redacted]";

export class Trials {
  readonly #core: Core;
  readonly #events: Events;
  readonly #bindings: Bindings;
  readonly #toolsOf: (projectId: string) => Promise<readonly Tool[]>;

  constructor(
    core: Core,
    events: Events,
    bindings: Bindings,
    toolsOf: (projectId: string) => Promise<readonly Tool[]>,
  ) {
    this.#core = core;
    this.#events = events;
    this.#bindings = bindings;
    this.#toolsOf = toolsOf;
  }

  /** Calls each endpoint of the plugin once, even if it is inactive, with an audit entry. Throws `not_found`. */
  async try(principal: Principal, id: string): Promise<PluginTrial> {
    const trial = await this.probe(principal, id);
    await this.#events.record(principal, "plugin.test", id, {
      result: trial.ok ? "ok" : "failed",
      details: { decisions: trial.results.map(({ hook_point, decision }) => ({ hook_point, decision })) },
    });
    return trial;
  }

  /** The same without an entry, for checks of the operator. */
  async probe(principal: Principal, id: string): Promise<PluginTrial> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const plugin = await findPlugin(this.#core.store, scope, id);
    if (plugin === undefined) throw unknownPlugin();
    const sample = this.#sample(await this.#toolsOf(principal.projectId));
    const results: Result[] = [];
    for (const point of POINTS) {
      const endpoint = webhookOf(plugin).endpoints[point];
      if (endpoint === undefined) continue;
      const { url, timeout_ms = DEFAULT_TIMEOUT_MS } = endpoint;
      const target = await targetOf(this.#core, plugin, url, timeout_ms);
      results.push({ hook_point: `tool.${point}`, url, ...(await this.#call(point, sample, target)) });
    }
    const ok = results.every(({ decision }) => decision !== "failed");
    return { plugin_id: id, tool: sample.tool.qualifiedName, ok, results };
  }

  #sample(tools: readonly Tool[]): Sample {
    const tool = tools.find(({ definition }) => definition.replacement === undefined);
    if (tool === undefined) throw notFound("There are no tools for a sample call.");
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

  async #call(
    point: Point,
    { tool, call }: Sample,
    target: Parameters<typeof callWebhook>[1],
  ): Promise<Omit<Result, "hook_point" | "url">> {
    const body = {
      access: () => accessRequest(USER, [tool]),
      pre: () => preRequest(call),
      post: () => postRequest(call, SAMPLE_OUTCOME),
    }[point]();
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    let answer: Json | undefined;
    try {
      answer = await callWebhook(this.#core, target, body);
      return {
        decision: decisionOf(point, answer, tool),
        answer: withoutSecrets(answer),
        duration_ms: elapsed(),
      };
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      const given = answer === undefined ? {} : { answer: withoutSecrets(answer) };
      return { decision: "failed", reason: error.reason, ...given, duration_ms: elapsed() };
    }
  }
}

// Values of secrets are only for tools; the caller may not be allowed to see those of a plugin of the organization.
function withoutSecrets(answer: Json): Json {
  const override = isObject(answer) ? answer["override"] : undefined;
  if (!isObject(answer) || !isObject(override) || (override["secrets"] ?? null) === null) return answer;
  const { secrets } = override;
  const masked = Array.isArray(secrets) ? secrets.map(withoutValues) : HIDDEN;
  return { ...answer, override: { ...override, secrets: masked } };
}

function withoutValues(entry: Json): Json {
  return isObject(entry) ? Object.fromEntries(Object.keys(entry).map((key) => [key, HIDDEN])) : HIDDEN;
}

function decisionOf(point: Point, answer: Json, tool: Tool): Result["decision"] {
  if (point === "access") return readAccess(answer)(tool) ? "ok" : "denied";
  return point === "pre" ? readPre(answer, tool).decision : readPost(answer, SAMPLE_OUTCOME).decision;
}
