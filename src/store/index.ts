// The database port and its engines.
export type { Migration } from "./migrate";
export {
  all,
  erase,
  get,
  type Kind,
  KINDS,
  type Query,
  query,
  run,
  type SqlValue,
  type Step,
  type Store,
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
export { changeCopy, ClosedDatabase, copyDatabase, schemaOf } from "./copies";
export { fact, SET_FACT, setFact } from "./facts";
export { mainMigrations } from "./schema/main";
export { newestSchema } from "./schema/newest";
export { damageOf } from "./damage";
export { keepsRests } from "./erasure";
export { DeletionTime } from "./deletion-time";
export { command, insertInto, named, rowCommands, update } from "./statements";
export { openSqlite, type SqliteOptions } from "./sqlite";
export { connectorOf, type Connector } from "./postgres/connector";
export { passwordReader } from "./postgres/password";
export { openPostgres, type PostgresStore } from "./postgres/postgres";
export { executionLogMigrations } from "./schema/execution-log";
export { Hold, LeaseLost } from "./hold";
export {
  extendLease,
  type HeldLease,
  type Lease,
  Leases,
  releaseLease,
  type Seen,
  stillHeld,
  type Taken,
  takeLease,
} from "./lease";
export { DEAD_AFTER_MS, HEARTBEAT_MS, Witness } from "./witness";
export { type UntilStored, untilStored } from "./until-stored";
