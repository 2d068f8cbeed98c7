// Records of the audit trail and of the execution log.
import { type Static, type TSchema, Type } from "typebox";

const time = Type.String({ format: "date-time" });

/** These lists keep growing: they are read from the newest entry back, without a total, which would have to be counted. */
const window = {
  limit: Type.Optional(Type.Integer({ minimum: 1, default: 25, description: "How many, at most 100." })),
  before: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Id of an entry: only older entries." }),
  ),
};

/** Newest entries first. `next`: the `before` parameter of the next page; absent on the last page. */
function newestFirst<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next: Type.Optional(Type.String()) });
}

export const AuditEntryResponse = Type.Object({
  id: Type.String(),
  number: Type.Integer({ description: "Its place in the hash chain of the project: 1, 2, 3 …" }),
  time,
  actor: Type.String({
    description:
      "`key:<id>`, `user:<id>` (after the user was erased: a pseudonym), `operator` (a person at the terminal), " +
      "`browser` (of a consent), or `server`.",
  }),
  address: Type.Optional(Type.String({ description: "The network address that the request came from." })),
  action: Type.String({ description: "`secret.upsert`, `provider.delete`" }),
  target: Type.String({ description: "The record's id or name." }),
  result: Type.String({ description: "ok, failed, declined or refused." }),
  details: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "Facts about the change. `before` and `after`: the fields that differ. `user`: the user whom it concerns.",
    }),
  ),
  hash: Type.String({ description: "The hash of the entry and of all entries before it." }),
});

export const AuditEntries = newestFirst(AuditEntryResponse);

export const AuditQuery = Type.Object({
  ...window,
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "The action, or a prefix of it." }),
  ),
  target: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  order: Type.Optional(Type.Enum(["newest", "oldest"], { description: "Which entries come first." })),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Id of an entry: only newer entries, oldest first.",
    }),
  ),
  since: Type.Optional(
    Type.String({ format: "date-time", description: "Only entries from this time on, oldest first." }),
  ),
});

export const ExecutionRecordResponse = Type.Object({
  id: Type.String(),
  execution_id: Type.String(),
  time,
  user_id: Type.String(),
  actor: Type.String(),
  tool: Type.String({ description: "Fully qualified name." }),
  status: Type.Enum(["completed", "failed"]),
  error_kind: Type.Optional(Type.String()),
  duration_ms: Type.Number(),
  hooks: Type.Optional(
    Type.Array(
      Type.Object({
        hook_id: Type.String(),
        hook_point: Type.String(),
        decision: Type.String({ description: "ok, override, denied, rate_limited or failed." }),
        reason: Type.Optional(Type.String({ description: "Why it failed, and the failure mode." })),
        duration_ms: Type.Number(),
      }),
      { description: "The decisions of hooks, in the order of the calls." },
    ),
  ),
});

export const ExecutionRecords = newestFirst(ExecutionRecordResponse);

export const ExecutionsQuery = Type.Object({
  ...window,
  user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  tool: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Name, without version." })),
  status: Type.Optional(Type.Enum(["completed", "failed"])),
});

export type AuditEntryRecord = Static<typeof AuditEntryResponse>;
export type AuditPage = Static<typeof AuditEntries>;
export type ExecutionsPage = Static<typeof ExecutionRecords>;
export type AuditFilter = Static<typeof AuditQuery>;
export type ExecutionRecord = Static<typeof ExecutionRecordResponse>;
export type ExecutionsFilter = Static<typeof ExecutionsQuery>;
