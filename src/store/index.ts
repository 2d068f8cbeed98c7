// The database port and its engines.
export type { Migration } from "./migrate";
export {
  all,
  erase,
  get,
  getKept,
  type Kind,
  KINDS,
  putKept,
  type Query,
  query,
  type Reader,
  run,
  send,
  type SqlValue,
  type Step,
  type Store,
  together,
  touch,
  type Transaction,
  UniqueViolation,
  Unwritable,
  type StoreObserver,
  type StoreUse,
  type Wait,
} from "./port";
export { type Change, makeChange, makeChanges, rehearseChanges } from "./change";
export { Ages, nextGeneration } from "./ages";
export { CachedByGeneration } from "./cache";
export { lockExisting, lockNew } from "./process-lock";
export { companionsOf, logsWithoutDatabase } from "./companions";
export { changeCopy, ClosedDatabase, copyDatabase, schemaOf } from "./copies";
export { fact, SET_FACT, setFact } from "./facts";
export { mainMigrations } from "./schema/main";
export { PendingMigration } from "./migrate";
export { newestSchema } from "./schema/newest";
export { damageOf } from "./damage";
export { keepsRests } from "./erasure";
export { DeletionTime } from "./deletion-time";
export { command, insertInto, insertNew, named, rowCommands, sentCommand, update } from "./statements";
export { openSqlite, type SqliteOptions } from "./sqlite";
export { connectorOf, type Connector } from "./postgres/connector";
export { passwordReader } from "./postgres/password";
export { openPostgres, type PostgresStore } from "./postgres/postgres";
export { type CopiedTable, copyToPostgres } from "./postgres/copy";
export { type CheckedDatabase, checkPostgres, type ComparedTable } from "./postgres/check";
export {
  hearsNotifications,
  type ServerFacts,
  serverFacts,
  type TableFacts,
  tableFacts,
} from "./postgres/facts";
export { type Installation, installationOf, schemaVersion } from "./postgres/migrations";
export { StoppedDatabase } from "./stopped";
export { executionLogMigrations } from "./schema/execution-log";
export { Hold, LeaseLost } from "./hold";
export {
  countBack,
  countUse,
  extendLease,
  type HeldLease,
  type Lease,
  isFirst,
  Leases,
  releaseLease,
  type Seen,
  stillHeld,
  type Taken,
  sweepLeases,
  takeLease,
} from "./lease";
export { DEAD_AFTER_MS, HEARTBEAT_MS, Witness } from "./witness";
export { type UntilStored, untilStored } from "./until-stored";
