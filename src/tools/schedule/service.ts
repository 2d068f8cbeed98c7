// Adds, lists and returns scheduled runs. The worker runs them.
import type { Audit } from "../../audit";
import { type Page, page, type Paging, paging, timestamp } from "../../base";
import type { Core } from "../../core";
import { newId } from "../../crypto";
import { conflict, invalidParameter, notFound, unknownRecord } from "../../errors";
import { actorOf, mayEnd, maySee, type Principal, visibleUsers } from "../../identity";
import type { Limits } from "../../limits";
import { DeletionTime } from "../../store";
import type { Tool } from "../registry";
import type { ExecuteTool, Execution } from "../schema";
import { openRuns } from "./due-repository";
import * as repository from "./repository";
import type { AttemptRow, ListedRun, RunRow } from "./repository";
import type {
  ScheduledToolsFilter,
  ToolExecution,
  ToolExecutionAttempt,
  ToolExecutionDetail,
} from "./schema";

export interface ScheduledCall {
  principal: Principal;
  userId: string;
  tool: Tool;
  request: ExecuteTool;
  /** ms since the epoch; in the past: as soon as possible. */
  runAt: number;
}

const DAY_MS = 24 * 3600_000;
const SETTING = "limits.scheduled_runs_per_project";
const RETRY_AFTER_MS = 60_000;

export class Schedule {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #limits: Limits;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, audit: Audit, limits: Limits) {
    this.#core = core;
    this.#audit = audit;
    this.#limits = limits;
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** Stores a run durably. Throws `rate_limited` if too many runs of the project have not ended. */
  async add({ principal, userId, tool, request, runAt }: ScheduledCall): Promise<Execution> {
    const { store, keyring, clock, random, settings } = this.#core;
    const now = clock.now();
    const id = newId("te", now, random);
    const input = JSON.stringify(request.input ?? {});
    const row: RunRow = {
      id,
      execution_id: newId("tc", now, random),
      project_id: principal.projectId,
      user_id: userId,
      actor: actorOf(principal),
      grant_id: (principal.kind === "user" ? principal.grant : undefined) ?? null,
      toolkit_name: tool.catalog.toolkit.name,
      tool_name: tool.definition.name,
      toolkit_version: tool.catalog.toolkit.version,
      asked_version: askedVersion(request, tool) ?? null,
      with_stack: request.include_error_stacktrace === true ? 1 : 0,
      sealed_input: await keyring.seal(principal.projectId, repository.inputPlace(id), input),
      status: "pending",
      run_at: runAt,
      due_at: runAt,
      attempts: 0,
      holder: null,
      fence: 0,
      created_at: now,
      started_at: null,
      finished_at: null,
      updated_at: now,
    };
    const keepDays = settings["scheduled.keep_days"] ?? settings["executions.keep_days"];
    const [audit, deletionTime] = [this.#audit, this.#deletionTime];
    const details = { tool: tool.fullyQualifiedName, run_at: timestamp(runAt) };
    const most = this.#limits.of(SETTING);
    const added = await store.write(function* () {
      if ((yield* repository.countOpenRuns(row.project_id)) >= most) return false;
      yield* audit.record(principal, "run.scheduled", id, { user: userId, details });
      yield* repository.addRun(row);
      const time = keepDays > 0 ? yield* deletionTime.now() : undefined;
      if (time !== undefined) yield* repository.forgetRuns(time - keepDays * DAY_MS);
      return true;
    });
    if (!added) throw this.#tooMany(row.project_id);
    return {
      id,
      execution_id: row.execution_id,
      execution_type: "scheduled",
      status: "pending",
      success: true,
      run_at: timestamp(runAt),
    };
  }

  #tooMany(projectId: string): Error {
    return this.#limits.over(SETTING, {
      scope: { project_id: projectId },
      message: "Too many scheduled runs of this project have not ended. Wait until some have run.",
      retryAfterMs: RETRY_AFTER_MS,
    });
  }

  /** Newest first. A user token lists its own user's runs, a key that is restricted to users those of these users. */
  async list(principal: Principal, query: ScheduledToolsFilter): Promise<Page<ToolExecution>> {
    const window = paging(query);
    const { store } = this.#core;
    const { projectId } = principal;
    const users = visibleUsers(principal);
    if (users !== undefined && users.length !== 1) return this.#listOf(projectId, users, window);
    const user = users?.[0];
    const rows = await repository.listRuns(store, projectId, user, window.limit, window.offset);
    return page(rows.map(recordOf), await repository.countRuns(store, projectId, user), window);
  }

  /** The runs of a user that have not ended, the next one first. */
  async open(projectId: string, userId: string, most: number): Promise<ToolExecution[]> {
    return (await openRuns(this.#core.store, projectId, userId, most)).map(recordOf);
  }

  /** By `te_…` or `tc_…`. Throws `invalid_parameter` for an id that is unknown, or another user's or project's. */
  async get(principal: Principal, id: string): Promise<ToolExecutionDetail> {
    const { store, keyring } = this.#core;
    const { projectId } = principal;
    const row = await repository.findRun(store, projectId, id);
    if (row === undefined || !maySee(principal, row.user_id))
      throw invalidParameter("There is no scheduled run with this id.", unknownRecord("id"));
    const input: { [key: string]: unknown } = JSON.parse(
      await keyring.open(projectId, repository.inputPlace(row.id), row.sealed_input),
    );
    const attempts = await repository.attemptsOf(store, projectId, row.id);
    return {
      ...recordOf(row),
      input,
      attempts: await Promise.all(attempts.map((attempt) => this.#attemptRecord(projectId, attempt))),
    };
  }

  /**
   * Cancels a run that waits for its time or for its next attempt; cancelling it again returns it as it is. Throws
   * `not_found` like `get`, and `conflict` for a run that has begun or ended: its effect may have happened.
   */
  async cancel(principal: Principal, id: string): Promise<ToolExecutionDetail> {
    const { store, clock } = this.#core;
    const { projectId } = principal;
    const row = await repository.findRun(store, projectId, id);
    if (row === undefined || !mayEnd(principal, row.user_id))
      throw notFound("No scheduled run with this id exists in this project.");
    const audit = this.#audit;
    const details = { tool: `${row.toolkit_name}.${row.tool_name}`, run_at: timestamp(row.run_at) };
    const cancelled = await store.write(function* () {
      if (!(yield* repository.cancelRun(row, clock.now()))) return false;
      yield* audit.record(principal, "run.cancelled", row.id, { user: row.user_id, details });
      return true;
    });
    const run = await this.get(principal, row.id);
    if (cancelled || run.execution_status === "cancelled") return run;
    throw conflict(
      run.finished_at === undefined
        ? "The run has begun and cannot be cancelled any more. Look at its result when it has ended."
        : `The run has already ended as ${run.execution_status}, so there is nothing to cancel.`,
    );
  }

  // There are few users; reads no more runs of each than the page can need.
  async #listOf(projectId: string, users: readonly string[], window: Paging): Promise<Page<ToolExecution>> {
    const { store } = this.#core;
    const end = window.offset + window.limit;
    const rows = await Promise.all(users.map((user) => repository.listRuns(store, projectId, user, end, 0)));
    const counts = await Promise.all(users.map((user) => repository.countRuns(store, projectId, user)));
    const newest = rows.flat().toSorted(newestFirst).slice(window.offset, end);
    const total = counts.reduce((sum, count) => sum + count, 0);
    return page(newest.map(recordOf), total, window);
  }

  async #attemptRecord(projectId: string, row: AttemptRow): Promise<ToolExecutionAttempt> {
    const { id, started_at, finished_at, success, sealed_output, system_error } = row;
    return {
      id,
      success: success === 1,
      started_at: timestamp(started_at),
      ...(finished_at === null ? {} : { finished_at: timestamp(finished_at) }),
      ...(sealed_output === null
        ? {}
        : {
            output: JSON.parse(
              await this.#core.keyring.open(projectId, repository.outputPlace(id), sealed_output),
            ),
          }),
      ...(system_error === null ? {} : { system_error_message: system_error }),
    };
  }
}

function recordOf(row: ListedRun): ToolExecution {
  return {
    id: row.id,
    tool_name: row.tool_name,
    toolkit_name: row.toolkit_name,
    toolkit_version: row.toolkit_version,
    user_id: row.user_id,
    execution_type: "scheduled",
    // Between attempts the run has already started, so it is not pending.
    execution_status: row.status === "pending" && row.attempts > 0 ? "running" : row.status,
    created_at: timestamp(row.created_at),
    run_at: timestamp(row.run_at),
    ...(row.started_at === null ? {} : { started_at: timestamp(row.started_at) }),
    ...(row.finished_at === null ? {} : { finished_at: timestamp(row.finished_at) }),
    updated_at: timestamp(row.updated_at),
  };
}

function newestFirst(left: ListedRun, right: ListedRun): number {
  return right.created_at - left.created_at || (left.id < right.id ? 1 : -1);
}

function askedVersion({ tool_name, tool_version }: ExecuteTool, tool: Tool): string | undefined {
  // The model name of an older version selects that version.
  const { version } = tool.catalog.toolkit;
  return tool_version ?? tool_name.split("@")[1] ?? (tool.newest ? undefined : version);
}
