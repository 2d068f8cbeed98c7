// Reads the audit trail and the execution log, newest first, page by page.
import { MAX_LIMIT, present, timestamp } from "../base";
import { firstIdAt } from "../crypto";
import { forbidden, notFound } from "../errors";
import type { Store } from "../store";
import { executionTime, type ExecutionRow, listExecutions } from "./executions-repository";
import { beginOfProject, hasAuditEntry, listAudit, newestAuditTime, type StoredAuditRow } from "./repository";
import type {
  AuditEntryRecord,
  AuditFilter,
  AuditPage,
  ExecutionRecord,
  ExecutionsFilter,
  ExecutionsPage,
} from "./schema";

/** The part of a principal that is needed here; `identity` depends on this area. */
interface Reader {
  kind: string;
  projectId: string;
  users?: readonly string[] | null;
}

const DEFAULT_LIMIT = 25;
/** Greater than any id. */
const MAX_ID = "~";

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

  /** Administrative changes in the project. Throws `not_found` for an unknown `before`. */
  audit(reader: Reader, filter: AuditFilter): Promise<AuditPage> {
    return this.#audit(reader.projectId, filter);
  }

  /** Changes of the deployment (projects, root keys). Throws `forbidden` for all but the operator. */
  async deploymentAudit(reader: Reader, filter: AuditFilter): Promise<AuditPage> {
    if (reader.kind !== "operator") throw forbidden("This is for the operator of the data folder only.");
    return this.#audit(null, filter);
  }

  /** The time of the last recorded change of the project, ms. */
  newestChange(reader: Reader): Promise<number | undefined> {
    return newestAuditTime(this.#store, reader.projectId);
  }

  /** Runs in the project. Throws `not_found` for an unknown `before`. */
  async executions(reader: Reader, filter: ExecutionsFilter): Promise<ExecutionsPage> {
    await this.#flush();
    const { before, tool = "", user_id = "", status = "" } = filter;
    const limit = limitOf(filter.limit);
    const beforeTime =
      before === undefined
        ? Number.MAX_SAFE_INTEGER
        : await executionTime(this.#logStore, reader.projectId, before);
    if (beforeTime === undefined) throw notFound("There is no execution with the id in `before`.");
    const rows = await listExecutions(this.#logStore, reader.projectId, {
      tool: tool.toLowerCase(),
      user: user_id,
      status,
      sinceTime: await this.#beginOf(reader.projectId),
      beforeTime,
      beforeId: before ?? "",
      limit: limit + 1,
    });
    const { items, next } = windowOf(rows.map(executionRecord), limit);
    // A pinned key only sees runs of its users, so its pages may be shorter than the limit.
    const own = items.filter((item) => reader.users?.includes(item.user_id) ?? true);
    return { items: own, ...present({ next }) };
  }

  async #audit(projectId: string | null, filter: AuditFilter): Promise<AuditPage> {
    const { before, actor = "", action = "", target = "" } = filter;
    const limit = limitOf(filter.limit);
    if (before !== undefined && !(await hasAuditEntry(this.#store, projectId, before)))
      throw notFound("There is no entry with the id in `before`.");
    const sinceTime = projectId === null ? 0 : await this.#beginOf(projectId);
    const since = { sinceTime, sinceId: firstIdAt("au", sinceTime) };
    const window = { actor, action, target, ...since, beforeId: before ?? MAX_ID, limit: limit + 1 };
    return windowOf((await listAudit(this.#store, projectId, window)).map(auditRecord), limit);
  }

  // Entries of a deleted project are not visible in a later project with the same id.
  async #beginOf(projectId: string): Promise<number> {
    return (await beginOfProject(this.#store, projectId)) ?? Number.MAX_SAFE_INTEGER;
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

function auditRecord({ id, actor, action, target, details, created_at }: StoredAuditRow): AuditEntryRecord {
  const time = timestamp(created_at);
  return { id, time, actor, action, target, ...(details === null ? {} : { details: JSON.parse(details) }) };
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
