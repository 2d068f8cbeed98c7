// Runs a tool: context, time limit, token refresh, and the consequences of a failure for the user's grant.
import { type Abortable, Redacted } from "../base";
import type { Authorization, AuthorizationService } from "../authorization";
import { type Connections, TokenRequestError } from "../connections";
import type { Core } from "../core";
import { ConnectionCaches } from "./cache";
import type { Caller } from "./caller";
import { toolContext } from "./context";
import { failureOf } from "./failure";
import type { Input } from "./input";
import { type Ready, refreshFailed } from "./readiness";
import type { Tool } from "./registry";
import type { ExecutionOutput } from "./schema";
import { TimeLimit } from "./time-limit";
import { GrantDead, networkTimeout, outcomeUnknown, ScopesLost, ToolError } from "./tool-error";

export type Logs = NonNullable<ExecutionOutput["logs"]>;
export type RunOutcome = { value: unknown } | { error: ToolError; authorization?: Authorization };

interface Attempt {
  ready: Ready;
  input: Input;
  logs: Logs;
  limit: TimeLimit;
  deadline: number;
  caller: Caller | undefined;
  fence: CalledBy["fence"];
}

/** The ids of a run in the execution log. */
export interface RunIds {
  id: string;
  executionId: string;
}

/** The caller of a run. `signal` aborts when it disconnects; `begins` is called before the tool runs. */
export interface CalledBy {
  signal?: Abortable | undefined;
  begins?: (() => void) | undefined;
  /** Called before the tool runs and before each of its requests. Rejects if the run is no longer the caller's. */
  fence?: (() => Promise<void>) | undefined;
  caller?: Caller | undefined;
}

export class Runner {
  readonly #core: Core;
  readonly #connections: Connections;
  readonly #authorization: AuthorizationService;
  readonly #caches: ConnectionCaches;

  constructor(core: Core, connections: Connections, authorization: AuthorizationService) {
    this.#core = core;
    this.#connections = connections;
    this.#authorization = authorization;
    this.#caches = new ConnectionCaches(core.clock);
  }

  /** `input` is converted and checked. A failure of the tool is an outcome, not a rejection; that of `by.fence` rejects. */
  async run(ready: Ready, input: Input, logs: Logs, by: CalledBy): Promise<RunOutcome> {
    const { clock, settings } = this.#core;
    const { signal, caller, fence } = by;
    if (fence !== undefined) await fence();
    const timeoutMs = settings["tools.timeout"] * 1000;
    using limit = new TimeLimit(timeoutMs, signal, () => cutOff(ready.tool, timeoutMs));
    try {
      if (limit.over) throw networkTimeout("The caller disconnected before the tool ran.");
      const deadline = clock.now() + timeoutMs;
      const attempt = { ready, input, logs, limit, deadline, caller, fence };
      by.begins?.();
      // Without a grant there is no token to refresh.
      return { value: await (ready.grant === undefined ? this.#once(attempt) : this.#withRenewal(attempt)) };
    } catch (error) {
      const failure = error instanceof ToolError ? error : failureOf(error, ready.tool);
      const { qualifiedName: tool } = ready.tool;
      this.#core.log.debug("tool failed", { tool, input: new Redacted(JSON.stringify(input)), error });
      const authorization = await this.#afterAuthFailure(ready, failure);
      return authorization === undefined ? { error: failure } : { error: failure, authorization };
    }
  }

  /** A platform that refuses the token has done nothing: refreshes it and retries once. */
  async #withRenewal(attempt: Attempt): Promise<unknown> {
    const { ready } = attempt;
    try {
      return await this.#once(attempt);
    } catch (error) {
      if (!(error instanceof GrantDead)) throw error;
      const renewed = await this.#renew(ready);
      if (renewed === undefined) throw error;
      ready.grant = renewed;
      return this.#once(attempt);
    }
  }

  async #renew({ projectId, userId, authorization, grant }: Ready): Promise<Ready["grant"]> {
    if (grant === undefined || authorization?.provider === undefined) return undefined;
    try {
      return await this.#connections.renew(projectId, userId, authorization.provider, grant);
    } catch (error) {
      // The grant must not be marked dead because the token endpoint is down.
      throw error instanceof TokenRequestError ? refreshFailed(error) : error;
    }
  }

  #once({ ready, input, logs, limit, deadline, caller, fence }: Attempt): Promise<unknown> {
    const { projectId, tool, grant, authorization, secrets } = ready;
    const context = toolContext(this.#core, {
      projectId,
      tool,
      provider: authorization?.provider,
      grant,
      secrets,
      limit,
      deadline,
      cache: () =>
        grant === undefined ? this.#caches.none() : this.#caches.of(grant.connectionId, grant.version),
      logs,
      caller,
      fence,
    });
    return limit.within(tool.definition.run(input, context));
  }

  /** A dead grant or a lost scope becomes an unmet requirement; the answer contains a new consent. */
  async #afterAuthFailure(ready: Ready, failure: ToolError): Promise<Authorization | undefined> {
    const { projectId, incarnation, userId, grant, authorization } = ready;
    if (grant === undefined || authorization?.provider === undefined) return undefined;
    if (failure instanceof GrantDead) {
      await this.#connections.markDead(projectId, grant, "the platform no longer accepts the grant");
    } else if (failure instanceof ScopesLost) {
      const { needed, provided } = failure;
      const gone = provided === undefined ? [] : grant.scopes.filter((scope) => !provided.includes(scope));
      await this.#connections.narrow(projectId, grant, [...needed, ...gone]);
    } else {
      return undefined;
    }
    const { provider, scopes } = authorization;
    // If no consent can be started (no user verification is configured), the answer is only the failure.
    return this.#authorization
      .forScopes({ projectId, incarnation, userId, provider, scopes })
      .catch(() => undefined);
  }
}

function cutOff(tool: Tool, timeoutMs: number): ToolError {
  const error = networkTimeout(`The tool did not finish within ${timeoutMs / 1000} s.`);
  return tool.definition.metadata.behavior.read_only ? error : outcomeUnknown(error);
}
