// Runs a tool: context, time limit, token refresh, and the consequences of a failure for the user's grant.
import { actorOf } from "../audit";
import { type Abortable, Redacted } from "../base";
import type { Authorization, AuthorizationService } from "../authorization";
import { type Connections, type RenewedGrant, TokenRequestError } from "../connections";
import type { Core } from "../core";
import type { Provider } from "../providers";
import { type AskedConsent, AskedConsents } from "./asked-consents";
import { ConnectionCaches } from "./cache";
import type { Caller } from "./caller";
import { Carried, type ServerAnswer } from "./carried";
import { memoryOwner, type Progress, toolContext } from "./context";
import { DoubtfulRefusals } from "./doubtful";
import { failureOf } from "./failure";
import type { Input } from "./input";
import { type Ready, refreshFailed } from "./readiness";
import { type Refusal, RefusedKeys } from "./refused-keys";
import type { Tool } from "./registry";
import type { ExecutionOutput } from "./schema";
import { TimeLimit } from "./time-limit";
import {
  ConsentAsked,
  GrantDead,
  networkTimeout,
  outcomeUnknown,
  ScopesLost,
  ToolError,
  upstreamUnauthorized,
} from "./tool-error";

export type Logs = NonNullable<ExecutionOutput["logs"]>;
export type RunOutcome =
  { value: unknown; answered?: ServerAnswer } | { error: ToolError; authorization?: Authorization };

interface Attempt {
  ready: Ready;
  ids: RunIds;
  input: Input;
  logs: Logs;
  limit: TimeLimit;
  deadline: number;
  caller: Caller | undefined;
  fence: CalledBy["fence"];
  progress: Progress;
  /** The newer grant, once the token was renewed. All requests of a run share it, so there is no loop. */
  renewal: Promise<RenewedGrant | undefined> | undefined;
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

/** A run that has everything it needs. */
export interface PlannedRun {
  ready: Ready;
  ids: RunIds;
  /** Converted and checked. */
  inputs: Input;
  logs: Logs;
  by: CalledBy;
}

export class Runner {
  readonly #core: Core;
  readonly #connections: Connections;
  readonly #authorization: AuthorizationService;
  readonly #caches: ConnectionCaches;
  readonly #doubtful: DoubtfulRefusals;
  readonly #refusedKeys: RefusedKeys;
  readonly #askedConsents: AskedConsents;

  constructor(core: Core, connections: Connections, authorization: AuthorizationService) {
    this.#core = core;
    this.#connections = connections;
    this.#authorization = authorization;
    this.#caches = new ConnectionCaches(core.clock);
    this.#doubtful = new DoubtfulRefusals(core, connections);
    this.#refusedKeys = new RefusedKeys(core, connections);
    this.#askedConsents = new AskedConsents(core, connections, authorization);
  }

  /** A failure of the tool is an outcome, not a rejection; that of `by.fence` rejects. */
  async run({ ready, ids, inputs: input, logs, by }: PlannedRun): Promise<RunOutcome> {
    const { clock, settings } = this.#core;
    const { signal, caller, fence } = by;
    if (fence !== undefined) await fence();
    const timeoutMs = settings["tools.timeout"] * 1000;
    const progress: Progress = { requests: 0, hasEffect: false };
    using limit = new TimeLimit(timeoutMs, signal, () => cutOff(ready.tool, timeoutMs));
    try {
      if (limit.over) throw networkTimeout("The caller disconnected before the tool ran.");
      const deadline = clock.now() + timeoutMs;
      const attempt = {
        ready,
        ids,
        input,
        logs,
        limit,
        deadline,
        caller,
        fence,
        progress,
        renewal: undefined,
      };
      by.begins?.();
      // Without a grant there is no token to refresh.
      const output = await (ready.grant === undefined ? this.#once(attempt) : this.#withRenewal(attempt));
      if (!(output instanceof Carried)) return { value: output };
      return { value: output.value, answered: { result: output.original } };
    } catch (error) {
      const failure = error instanceof ToolError ? error : failureOf(error, ready.tool);
      const { qualifiedName: tool } = ready.tool;
      this.#core.log.debug("tool failed", { tool, input: new Redacted(JSON.stringify(input)), error });
      const doubtful = await this.#ofClient(ready, failure);
      if (doubtful !== undefined)
        return { error: progress.hasEffect ? afterEffect(doubtful, ready.tool) : doubtful };
      const refusal = await this.#refusedKeys.of(ready, failure);
      if (refusal !== undefined) return this.#withNewKey(ready, refusal);
      const { error: cause, authorization } = await this.#afterAuthFailure(ready, failure);
      const told = progress.hasEffect ? afterEffect(cause, ready.tool) : cause;
      return authorization === undefined ? { error: told } : { error: told, authorization };
    }
  }

  /**
   * For a tool that does not renew its token itself: repeats it if nothing but the refused request was sent, or if it may be
   * done twice.
   */
  async #withRenewal(attempt: Attempt): Promise<unknown> {
    const before = attempt.progress.requests;
    try {
      return await this.#once(attempt);
    } catch (error) {
      if (!(error instanceof GrantDead)) throw error;
      // A token that was stored meanwhile may be refused although its refresh token works.
      if ((await attempt.renewal)?.isRefreshed === false) attempt.renewal = undefined;
      const isRenewed = attempt.renewal !== undefined;
      if (isRenewed || (await this.#renewOnce(attempt)) === undefined) throw error;
      const { progress, ready } = attempt;
      if (progress.requests - before > 1 && !isRepeatable(ready.tool)) throw refusedHalfway(error);
      return this.#withRenewal(attempt);
    }
  }

  #renewOnce(attempt: Attempt): Promise<RenewedGrant | undefined> {
    return (attempt.renewal ??= this.#renew(attempt.ready));
  }

  /** The newer grant is that of the run from now on. */
  async #renew(ready: Ready): Promise<RenewedGrant | undefined> {
    const { projectId, userId, authorization, grant } = ready;
    if (grant === undefined || authorization?.provider === undefined) return undefined;
    try {
      const newer = await this.#connections.renew(projectId, userId, authorization.provider, grant);
      ready.grant = newer ?? grant;
      return newer;
    } catch (error) {
      // The grant must not be marked dead because the token endpoint is down.
      throw error instanceof TokenRequestError ? refreshFailed(error) : error;
    }
  }

  #once(attempt: Attempt): Promise<unknown> {
    const { ready, input, logs, limit, deadline, caller, fence, progress } = attempt;
    const { projectId, tool, grant, authorization, secrets, keys } = ready;
    const context = toolContext(this.#core, {
      projectId,
      call: { ...attempt.ids, projectId, userId: ready.userId, actor: nameOf(ready.actor) },
      tool,
      provider: authorization?.provider,
      grant,
      renew: () => this.#renewOnce(attempt),
      progress,
      secrets,
      userKeys: tokensOf(keys),
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

  /** The error for the operator, if the platform refuses the client and not only this user's grant. */
  async #ofClient(
    { projectId, tool, grant, authorization }: Ready,
    failure: ToolError,
  ): Promise<ToolError | undefined> {
    if (!(failure instanceof GrantDead) || !failure.isDoubtful || grant === undefined) return undefined;
    return this.#doubtful.handle(
      memoryOwner({ projectId, tool, provider: authorization?.provider }, grant),
      failure,
    );
  }

  /** The answer contains the page where the user gives another key. The call was not performed. */
  async #withNewKey(ready: Ready, { error, provider }: Refusal): Promise<RunOutcome> {
    if (provider === undefined) return { error };
    const authorization = await this.#startConsent(ready, provider, []);
    return authorization === undefined ? { error } : { error, authorization };
  }

  /** A dead grant or a lost scope becomes an unmet requirement; the answer contains a new consent. */
  async #afterAuthFailure(ready: Ready, failure: ToolError): Promise<AskedConsent> {
    const asked = await this.#askedConsents.of(ready, failure);
    if (asked !== undefined) return asked;
    const { projectId, grant, authorization } = ready;
    if (grant === undefined || authorization?.provider === undefined) return { error: failure };
    if (failure instanceof GrantDead) {
      // A doubtful one is marked already.
      await this.#connections.markDead(projectId, grant, "the platform no longer accepts the grant");
    } else if (failure instanceof ScopesLost) {
      const { needed, provided } = failure;
      const gone = provided === undefined ? [] : grant.scopes.filter((scope) => !provided.includes(scope));
      await this.#connections.narrow(projectId, grant, [...needed, ...gone]);
    } else {
      return { error: failure };
    }
    const { provider } = authorization;
    // A tool of a worker may learn only now what it needs.
    const more = failure instanceof ScopesLost && ready.tool.definition.foreign ? failure.needed : [];
    const started = await this.#startConsent(ready, provider, [...authorization.scopes, ...more]);
    return started === undefined ? { error: failure } : { error: failure, authorization: started };
  }

  /** If no consent can be started (no user verification is configured), the answer is only the failure. */
  async #startConsent(
    { projectId, incarnation, actor, userId }: Ready,
    provider: Provider,
    scopes: readonly string[],
  ): Promise<Authorization | undefined> {
    return this.#authorization
      .forScopes({ projectId, incarnation, actor, userId, provider, scopes })
      .catch(() => undefined);
  }
}

/** A run that no caller has asked for is one of the server. */
function nameOf(actor: Ready["actor"]): string {
  return actor === undefined ? "server" : actorOf(actor);
}

/** By the ids of their providers. */
function tokensOf(keys: Ready["keys"]): Record<string, Redacted> {
  return Object.fromEntries(keys.map(({ provider, grant }) => [provider.id, grant.token]));
}

function isRepeatable({ definition }: Tool): boolean {
  const { read_only, idempotent } = definition.metadata.behavior;
  return read_only || idempotent;
}

/** A run that has changed something must not be repeated because a later step failed. */
function afterEffect(failure: ToolError, tool: Tool): ToolError {
  const isRefusal = [ConsentAsked, GrantDead, ScopesLost].some((kind) => failure instanceof kind);
  const isFinal = !failure.canRetry && !isRefusal;
  if (isFinal || isRepeatable(tool)) return failure;
  return outcomeUnknown(failure);
}

function refusedHalfway(cause: ToolError): ToolError {
  const message = "The platform refused the user's token after a part of the work. The token was refreshed.";
  return outcomeUnknown(upstreamUnauthorized(message, { cause }));
}

function cutOff(tool: Tool, timeoutMs: number): ToolError {
  const error = networkTimeout(`The tool did not finish within ${timeoutMs / 1000} s.`);
  return tool.definition.metadata.behavior.read_only ? error : outcomeUnknown(error);
}
