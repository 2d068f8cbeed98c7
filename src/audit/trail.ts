// Reads the audit trail and the execution log, newest first, page by page.
import { checkUserId, MAX_LIMIT, present, timestamp } from "../base";
import { earliestId } from "../crypto";
import { forbidden, notFound } from "../errors";
import type { Store } from "../store";
import { executionTime, type ExecutionRow, findExecution, listExecutions } from "./executions-repository";
import { currentProject, type ProjectReference } from "./incarnation";
import { People } from "./people";
import {
  entriesNaming,
  findPseudonym,
  hasAuditEntry,
  listAudit,
  newestAuditTime,
  type ProjectPart,
} from "./repository";
import type {
  AuditEntryRecord,
  AuditFilter,
  AuditPage,
  ExecutionRecord,
  ExecutionsFilter,
  ExecutionsPage,
} from "./schema";

/** The part of a principal that is needed here; `identity` depends on this area. */
interface Reader extends ProjectReference {
  kind: string;
  users?: readonly string[] | null;
}

const DEFAULT_LIMIT = 25;
/** Greater than any id. */
const MAX_ID = "~";
/** No project has this incarnation. */
const NO_PROJECT = "none";
const INSTALLATION: ProjectPart = { projectId: "", incarnation: "" };

export class Trail {
  readonly #store: Store;
  readonly #logStore: Store;
  readonly #flush: () => Promise<void>;

  /** `flush`: writes pending entries of the execution log. */
  constructor(store: Store, logStore: Store, flush: () => Promise<void>) {
    this.#store = store;
    this.#logStore = logStore;
    this.#flush = flush;
  }

  /** All entries of the project that name a user, oldest first. Other users in them stay pseudonyms. */
  async ofUser(reader: Reader, userId: string): Promise<AuditEntryRecord[]> {
    const project = await this.#projectOf(reader);
    const pseudonym = await findPseudonym(this.#store, project.projectId, userId);
    if (pseudonym === undefined) return [];
    const people = new People(this.#store, project.projectId, pseudonym);
    const rows = await entriesNaming(this.#store, project, pseudonym);
    return Promise.all(rows.map((row) => people.entryOf(row)));
  }

  /** Administrative changes in the project. Throws `not_found` for an unknown `before`. */
  async audit(reader: Reader, filter: AuditFilter): Promise<AuditPage> {
    return this.#audit(await this.#projectOf(reader), filter);
  }

  /** Changes of the deployment (projects, root keys). Throws `forbidden` for all but the operator. */
  async deploymentAudit(reader: Reader, filter: AuditFilter): Promise<AuditPage> {
    if (reader.kind !== "operator") throw forbidden("This is for the operator of the data folder only.");
    return this.#audit(INSTALLATION, filter);
  }

  /** The time of the last recorded change of the project, ms. */
  async newestChange(reader: Reader): Promise<number | undefined> {
    return newestAuditTime(this.#store, await this.#projectOf(reader));
  }

  /** Runs in the project. Throws `not_found` for an unknown `before`. */
  async executions(reader: Reader, filter: ExecutionsFilter): Promise<ExecutionsPage> {
    await this.#flush();
    const { before, tool = "", user_id = "", status = "" } = filter;
    if (filter.user_id !== undefined) checkUserId(filter.user_id);
    const limit = limitOf(filter.limit);
    const { sinceTime, ...project } = await this.#projectOf(reader);
    const beforeTime =
      before === undefined ? Number.MAX_SAFE_INTEGER : await executionTime(this.#logStore, project, before);
    if (beforeTime === undefined) throw notFound("There is no execution with the id in `before`.");
    const rows = await listExecutions(this.#logStore, project, {
      tool: tool.toLowerCase(),
      user: user_id,
      status,
      sinceTime,
      beforeTime,
      beforeId: before ?? "",
      limit: limit + 1,
    });
    const { items, next } = windowOf(rows.map(executionRecord), limit);
    // A pinned key only sees runs of its users, so its pages may be shorter than the limit.
    const own = items.filter((item) => reader.users?.includes(item.user_id) ?? true);
    return { items: own, ...present({ next }) };
  }

  /** One run. Throws `not_found` for an unknown id, and for a run of a user whom the reader may not see. */
  async execution(reader: Reader, id: string): Promise<ExecutionRecord> {
    await this.#flush();
    const row = await findExecution(this.#logStore, await this.#projectOf(reader), id);
    if (row !== undefined && (reader.users?.includes(row.user_id) ?? true)) return executionRecord(row);
    throw notFound("No run with this id is in the execution log.");
  }

  async #audit(project: ProjectPart, filter: AuditFilter): Promise<AuditPage> {
    const { before, after, since, actor = "", action = "", target = "" } = filter;
    const limit = limitOf(filter.limit);
    for (const id of [before, after])
      if (id !== undefined && !(await hasAuditEntry(this.#store, project, id)))
        throw notFound("The audit trail of the project has no entry with this id.");
    const people = new People(this.#store, project.projectId);
    const oldestFirst = filter.order === "oldest" || after !== undefined || since !== undefined;
    const window = {
      actor: await people.storedActor(actor),
      action,
      target,
      beforeId: before ?? MAX_ID,
      afterId: after ?? (since === undefined ? "" : earliestId("au", Date.parse(since))),
      limit: limit + 1,
    };
    const rows = await listAudit(this.#store, project, window, oldestFirst ? "oldest" : "newest");
    return windowOf(await Promise.all(rows.map((row) => people.entryOf(row))), limit);
  }

  // Entries of a deleted project are not visible in a later project with the same id, whatever the clock.
  async #projectOf(reader: Reader): Promise<ProjectPart & { sinceTime: number }> {
    const { projectId } = reader;
    const project = await currentProject(this.#store, reader);
    if (project === undefined) return { projectId, incarnation: NO_PROJECT, sinceTime: 0 };
    return { projectId, incarnation: project.incarnation, sinceTime: project.created_at };
  }
}

function limitOf(limit: number | undefined): number {
  return Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT);
}

function windowOf<T extends { id: string }>(found: T[], limit: number): { items: T[]; next?: string } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined ? { next: last.id } : {}) };
}

function executionRecord(row: ExecutionRow): ExecutionRecord {
  const { id, execution_id, user_id, actor, tool, status, error_kind, duration_ms, created_at } = row;
  return {
    id,
    execution_id,
    time: timestamp(created_at),
    user_id,
    actor,
    tool,
    status: status === "completed" ? "completed" : "failed",
    ...(error_kind === null ? {} : { error_kind }),
    duration_ms,
    ...(row.decisions === null ? {} : { hooks: JSON.parse(row.decisions) }),
  };
}
