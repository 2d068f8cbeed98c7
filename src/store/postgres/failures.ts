// Errors of PostgreSQL and of connections to it, as errors of the port.
import { RuntimeError, unavailable } from "../../errors";
import { UniqueViolation } from "../port";
import { DROPPED_KEY } from "./schema";

const RETRY_AFTER_MS = 1000;

/** The connection has ended, or the server ends it. What was asked on it may be asked again on another one. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super("the connection to the database was lost", { cause });
  }
}

/** SQLSTATE of an error of the server; see appendix A of PostgreSQL's documentation. */
export function stateOf(error: unknown): string {
  return error instanceof Error && "errno" in error && typeof error.errno === "string" ? error.errno : "";
}

/**
 * Classes 08 (connection) and 57P (shut down), limits that end the session (25P03, 25P04), and a server that has become
 * read-only: after a fail-over the connection leads to a standby.
 */
const LOST = /^(?:08|57P0|25P0[34]$|25006$)/;
/** The last ones: the client has read what it did not expect, so later answers may belong to other statements. */
const LOST_CODE =
  /^(?:ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME|NOT_|EXPECTED_|UNEXPECTED_|INVALID_MESSAGE)|ECONN|EPIPE|ERR_SOCKET)/;

export function isLost(error: unknown): boolean {
  if (error instanceof LostConnection) return true;
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // The server ends a session with each error of these severities.
  if ("severity" in error && (error.severity === "FATAL" || error.severity === "PANIC")) return true;
  return LOST.test(stateOf(error)) || LOST_CODE.test(code);
}

/** The answer to the commit of a failed transaction: the server has rolled it back. */
export class RolledBack extends Error {
  readonly reason: RuntimeError;

  constructor() {
    super("the server has rolled back what it should commit");
    this.reason = unavailable("The database has rolled this back. Send the request again.", {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
}

/** A statement was not sent, and the commit after it was: a part of the transaction may be stored. */
export class PartlySent extends Error {
  constructor(cause: unknown) {
    super("a statement of a transaction was not sent", { cause });
  }
}

/**
 * Whether the server itself has said, after the commit was sent, that nothing is stored. Every other error leaves open what
 * the server has done: the client has lost the answer, or has not understood it.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof RolledBack || (stateOf(error) !== "" && !isLost(error));
}

/** The transaction may succeed when it runs again: serialization failure, deadlock. */
export function isConflict(error: unknown): boolean {
  return /^(?:40001|40P01)$/.test(stateOf(error));
}

/** Another transaction had the lock for too long. */
export function isLocked(error: unknown): boolean {
  return stateOf(error) === "55P03";
}

/** The server had no room for a statement, or its disk has failed: others that write will fail as well. */
export function isOfDisk(error: unknown): boolean {
  const own = error instanceof RuntimeError ? error.cause : error;
  return /^5[38]/.test(stateOf(own));
}

const REASONS: readonly (readonly [states: RegExp, reason: string])[] = [
  [
    /^53100$/,
    "The disk of the database is full, so nothing was stored. Make room on it, then send the request again.",
  ],
  [/^53/, "The database has no room for this at the moment. Send the request again later."],
  [/^(?:55P03|57014)$/, "The database did not answer in time. Send the request again."],
  // Repeated until it was too late.
  [/^(?:40001|40P01)$/, "The database has rolled this back several times. Send the request again."],
  [/^58/, "The disk of the database reports an error, so nothing was stored. Check the database's log."],
  [
    /^42501$/,
    "The database refuses this to the role of the server. Give the role the permissions in docs/scaling.md.",
  ],
  [
    // The statement was prepared on another connection of a pooler.
    /^(?:26000|42P05)$/,
    "A connection pooler has lost a prepared statement of the database. Set database.prepared_statements to false, or see docs/scaling.md.",
  ],
];

const KEY_REPLACED =
  "A data key was replaced while this was stored, so nothing was stored. Send the request again.";

export function translateError(error: unknown): unknown {
  if (error instanceof RuntimeError || error instanceof UniqueViolation) return error;
  if (isLost(error)) return lost(error);
  if (error instanceof RolledBack) return error.reason;
  const state = stateOf(error);
  if (state === "23505") return new UniqueViolation(error);
  const known = REASONS.find(([states]) => states.test(state))?.[1];
  const reason = state === DROPPED_KEY ? KEY_REPLACED : known;
  return reason === undefined ? error : unavailable(reason, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

export function lost(cause: unknown): RuntimeError {
  return unavailable("The database cannot be reached. Send the request again.", {
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  });
}

export function late(): RuntimeError {
  return unavailable("The database did not answer in time. Send the request again.", {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

export function unknownResult(cause: unknown): RuntimeError {
  const message = "The database was lost while this was stored. Whether it is stored is not known.";
  return unavailable(message, { cause, retryAfterMs: RETRY_AFTER_MS });
}

/** The tables were migrated while this server ran. */
export class OtherVersion extends Error {
  readonly reason: RuntimeError;

  constructor(found: number, known: number) {
    const message =
      `The database has schema ${found}; this server supports schema ${known}. ` +
      "Start a server of the other version, and stop this one.";
    super(message);
    this.reason = unavailable(message, { retryAfterMs: RETRY_AFTER_MS });
  }
}

export function closedError(): RuntimeError {
  return unavailable("The database is closed because this process is about to stop.");
}
