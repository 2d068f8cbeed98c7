// The one path on which a tool runs, whoever asked for it.
import { Redacted, timestamp } from "../base";
import type { ExecutionLog } from "../audit";
import type { Authorization, AuthorizationService } from "../authorization";
import { type Connections, type LiveGrant, TokenRequestError } from "../connections";
import type { Core } from "../core";
import { newId } from "../crypto";
import { consentRequired, invalidParameter, requirementsNotMet } from "../errors";
import { actFor, actorOf, type Principal } from "../identity";
import type { Secrets } from "../secrets";
import { ConnectionCaches } from "./cache";
import { toolContext } from "./context";
import { deprecationMessage } from "./document";
import { failureOf, toolErrorRecord } from "./failure";
import { Idempotency } from "./idempotency";
import { convertInput } from "./input";
import type { Registry, Tool } from "./registry";
import { type AuthorizationState, type Requirements, secretReason } from "./requirements";
import type { ExecuteTool, Execution, ExecutionOutput } from "./schema";
import {
  GrantDead,
  networkTimeout,
  outcomeUnknown,
  ScopesLost,
  ToolError,
  upstreamFailed,
} from "./tool-error";

export interface ExecuteOptions {
  idempotencyKey?: string | undefined;
  /** Aborts when the caller is gone. A run under an Idempotency-Key goes on: the caller will ask for its answer. */
  signal?: AbortSignal | undefined;
}

interface Ready {
  tool: Tool;
  userId: string;
  authorization: AuthorizationState | undefined;
  grant: LiveGrant | undefined;
  secrets: Readonly<Record<string, string>>;
}

type Outcome = { value: unknown } | { error: ToolError; authorization?: Authorization };

export class Execute {
  readonly #core: Core;
  readonly #registry: Registry;
  readonly #requirements: Requirements;
  readonly #connections: Connections;
  readonly #authorization: AuthorizationService;
  readonly #secrets: Secrets;
  readonly #executionLog: ExecutionLog;
  readonly #caches: ConnectionCaches;
  readonly #idempotency: Idempotency;

  constructor(
    core: Core,
    parts: {
      registry: Registry;
      requirements: Requirements;
      connections: Connections;
      authorization: AuthorizationService;
      secrets: Secrets;
      executionLog: ExecutionLog;
    },
  ) {
    this.#core = core;
    this.#registry = parts.registry;
    this.#requirements = parts.requirements;
    this.#connections = parts.connections;
    this.#authorization = parts.authorization;
    this.#secrets = parts.secrets;
    this.#executionLog = parts.executionLog;
    this.#caches = new ConnectionCaches(core.clock);
    this.#idempotency = new Idempotency(core);
  }

  /**
   * Runs a tool for a user. A tool that fails is an answer (`success: false`), not an error. Throws
   * `tool_requirements_not_met`: 403 when the user must consent, 400 when the administrator must act; and what
   * `actFor` and the registry throw.
   */
  async execute(
    principal: Principal,
    request: ExecuteTool,
    options: ExecuteOptions = {},
  ): Promise<Execution> {
    const userId = actFor(principal, request.user_id, 403);
    const tool = this.#registry.find(request.tool_name, request.tool_version);
    if (request.run_at !== undefined) throw invalidParameter("run_at: scheduled runs are not served yet.");
    const { idempotencyKey, signal } = options;
    if (idempotencyKey === undefined) return this.#execute(principal, userId, tool, request, signal);
    return this.#idempotency.once(
      {
        projectId: principal.projectId,
        credential: actorOf(principal),
        operation: "tool-execute",
        key: idempotencyKey,
        request: JSON.stringify([tool.fullyQualifiedName, userId, request.input ?? {}]),
      },
      () => this.#execute(principal, userId, tool, request, undefined),
      () => this.#lost(),
      signal,
    );
  }

  async #execute(
    principal: Principal,
    userId: string,
    tool: Tool,
    request: ExecuteTool,
    signal: AbortSignal | undefined,
  ): Promise<Execution> {
    const { clock, random } = this.#core;
    const given = request.input ?? {};
    const ready = await this.#ready(principal.projectId, userId, tool, given);
    if (ready instanceof ToolError)
      this.#core.log.warn("refresh failed", { tool: tool.qualifiedName, error: ready });
    const started = clock.now();
    const measured = performance.now();
    const logs: NonNullable<ExecutionOutput["logs"]> = [];
    const { definition } = tool;
    if (definition.replacement !== undefined) {
      logs.push({ level: "warning", subtype: "deprecation", message: deprecationMessage(definition) });
    }
    const outcome =
      ready instanceof ToolError
        ? { error: ready }
        : await this.#run(principal.projectId, ready, given, logs, signal);
    const duration = Math.round((performance.now() - measured) * 1000) / 1000;
    const id = newId("te", started, random);
    const executionId = newId("tc", started, random);
    const failed = "error" in outcome;
    this.#executionLog.add({
      id,
      executionId,
      projectId: principal.projectId,
      userId,
      actor: actorOf(principal),
      tool: tool.fullyQualifiedName,
      status: failed ? "failed" : "completed",
      errorKind: failed ? outcome.error.kind : null,
      durationMs: duration,
    });
    return {
      id,
      execution_id: executionId,
      execution_type: "immediate",
      status: failed ? "failed" : "completed",
      success: !failed,
      duration,
      finished_at: timestamp(clock.now()),
      output: outputOf(outcome, tool, logs, request.include_error_stacktrace === true),
    };
  }

  /** All that the tool needs, or the error that says what is missing and who can mend it. */
  async #ready(projectId: string, userId: string, tool: Tool, input: object): Promise<Ready | ToolError> {
    const { definition } = tool;
    if (definition.waivesRequirements?.(input as never) === true) {
      return { tool, userId, authorization: undefined, grant: undefined, secrets: {} };
    }
    const state = await this.#requirements.of(projectId, userId, tool);
    const { authorization } = state;
    if (authorization !== undefined && authorization.provider === undefined) {
      throw requirementsNotMet(
        `${tool.qualifiedName} cannot run: ${authorization.reason ?? "no auth provider"}.`,
      );
    }
    const missing = state.secrets.find((secret) => !secret.met);
    if (missing !== undefined) throw requirementsNotMet(secretReason(missing.key));
    if (authorization !== undefined && !authorization.met) throw owed(tool, authorization);
    const grant = await this.#grant(projectId, userId, tool, authorization);
    if (grant instanceof ToolError) return grant;
    const secrets: Record<string, string> = {};
    for (const key of definition.secrets ?? []) {
      const value = await this.#secrets.value(projectId, key);
      if (value === undefined) throw requirementsNotMet(secretReason(key));
      secrets[key] = value;
    }
    return { tool, userId, authorization, grant, secrets };
  }

  async #grant(
    projectId: string,
    userId: string,
    tool: Tool,
    authorization: AuthorizationState | undefined,
  ): Promise<LiveGrant | ToolError | undefined> {
    if (authorization?.provider === undefined || authorization.scopes.length === 0) return undefined;
    try {
      const grant = await this.#connections.grant(projectId, userId, authorization.provider);
      if (grant === undefined) throw owed(tool, authorization);
      return grant;
    } catch (error) {
      // The provider is in trouble, not the grant: nothing was run, so the caller may try again.
      if (error instanceof TokenRequestError) return refreshFailed(error);
      throw error;
    }
  }

  async #run(
    projectId: string,
    ready: Ready,
    given: { [key: string]: unknown },
    logs: NonNullable<ExecutionOutput["logs"]>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { definition, qualifiedName } = ready.tool;
    try {
      const input = convertInput(definition, given);
      return {
        value: await this.#runOnce(ready, input, logs, signal).catch((error: unknown) =>
          this.#again(projectId, ready, input, logs, signal, error),
        ),
      };
    } catch (error) {
      const failure = error instanceof ToolError ? error : failureOf(error);
      this.#core.log.debug("tool failed", {
        tool: qualifiedName,
        input: new Redacted(JSON.stringify(given)),
        error: error,
      });
      const authorization = await this.#afterAuthFailure(projectId, ready, failure);
      return authorization === undefined ? { error: failure } : { error: failure, authorization };
    }
  }

  /** The platform refused the token before anything was done: one refresh, one repeat. */
  async #again(
    projectId: string,
    ready: Ready,
    input: { [key: string]: unknown },
    logs: NonNullable<ExecutionOutput["logs"]>,
    signal: AbortSignal | undefined,
    error: unknown,
  ): Promise<unknown> {
    const { grant, authorization, userId } = ready;
    if (!(error instanceof GrantDead) || grant === undefined || authorization?.provider === undefined)
      throw error;
    const renewed = await this.#connections
      .renew(projectId, userId, authorization.provider, grant)
      .catch(() => undefined);
    if (renewed === undefined) throw error;
    ready.grant = renewed;
    return this.#runOnce(ready, input, logs, signal);
  }

  async #runOnce(
    ready: Ready,
    input: { [key: string]: unknown },
    logs: NonNullable<ExecutionOutput["logs"]>,
    caller: AbortSignal | undefined,
  ): Promise<unknown> {
    const { clock, settings } = this.#core;
    const { tool, grant, authorization, secrets } = ready;
    const timeoutMs = settings["tools.timeout"] * 1000;
    const timer = AbortSignal.timeout(timeoutMs);
    const signal = caller === undefined ? timer : AbortSignal.any([caller, timer]);
    const cache =
      grant === undefined ? this.#caches.none() : this.#caches.of(grant.connectionId, grant.version);
    const context = toolContext(this.#core, {
      tool,
      provider: authorization?.provider,
      grant,
      secrets,
      signal,
      deadline: clock.now() + timeoutMs,
      cache,
      logs,
    });
    // A tool that does not listen to its signal is cut off all the same.
    const cut = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => setTimeout(() => reject(cutOff(tool, timeoutMs)), 100), {
        once: true,
      });
    });
    return Promise.race([tool.definition.run(input, context), cut]);
  }

  /** A dead grant or a lost scope becomes an unmet requirement; the answer carries the new consent. */
  async #afterAuthFailure(
    projectId: string,
    ready: Ready,
    failure: ToolError,
  ): Promise<Authorization | undefined> {
    const { grant, authorization, userId } = ready;
    if (grant === undefined || authorization?.provider === undefined) return undefined;
    if (failure instanceof GrantDead) {
      await this.#connections.markDead(
        projectId,
        grant,
        "the platform no longer accepts the grant; consent again",
      );
    } else if (failure instanceof ScopesLost) {
      const gone = grant.scopes.filter(
        (scope) => failure.provided !== undefined && !failure.provided.includes(scope),
      );
      await this.#connections.narrow(projectId, grant, [...failure.needed, ...gone]);
    } else {
      return undefined;
    }
    const { provider, scopes } = authorization;
    // Where consent cannot be started (nothing verifies users here), the failure alone is the answer.
    return this.#authorization.forScopes({ projectId, userId, provider, scopes }).catch(() => undefined);
  }

  #lost(): Execution {
    const { clock, random } = this.#core;
    const now = clock.now();
    const error = outcomeUnknown(upstreamFailed("The first run under this Idempotency-Key was cut off."));
    return {
      id: newId("te", now, random),
      execution_id: newId("tc", now, random),
      execution_type: "immediate",
      status: "failed",
      success: false,
      finished_at: timestamp(now),
      output: { error: toolErrorRecord(error, undefined, false) },
    };
  }
}

function owed(tool: Tool, { missing, reason }: AuthorizationState): Error {
  const scopes = missing.length === 0 ? "" : ` (${missing.join(", ")})`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return consentRequired(
    `authorization required: the user has not granted what ${tool.qualifiedName} needs${scopes}${why}. ` +
      "Call tools/authorize and send the user to the url.",
  );
}

function refreshFailed(error: TokenRequestError): ToolError {
  const message = `The user's grant could not be refreshed right now. ${error.message}`;
  return upstreamFailed(message, { cause: error, canRetry: error.transient });
}

function cutOff(tool: Tool, timeoutMs: number): ToolError {
  const error = networkTimeout(`The tool did not finish within ${timeoutMs / 1000} s.`);
  return tool.definition.metadata.behavior.read_only ? error : outcomeUnknown(error);
}

function outputOf(
  outcome: Outcome,
  tool: Tool,
  logs: NonNullable<ExecutionOutput["logs"]>,
  withStack: boolean,
): ExecutionOutput {
  const shown = logs.length === 0 ? {} : { logs };
  if (!("error" in outcome)) return { value: outcome.value, ...shown };
  const error = toolErrorRecord(outcome.error, tool, withStack);
  return {
    error,
    ...(outcome.authorization === undefined ? {} : { authorization: outcome.authorization }),
    ...shown,
  };
}
