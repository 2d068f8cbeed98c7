// What became of every write of a process: what the engine has said, and what the database has stored.
import { isUnavailable } from "../../../src/errors";
import { unknownResult } from "../../../src/store/postgres/failures";
import type { Violation } from "../invariants";

const UNKNOWN = unknownResult(undefined).message;

export interface WriteRecord {
  readonly process: string;
  /** Its last run has sent a statement. */
  hasAsked: boolean;
  /** How often the database has stored what it wrote. */
  stored: number;
  /** A transaction with it was committed; it may have written nothing. */
  isCommitted: boolean;
  said: "stored" | "not stored" | "unknown" | undefined;
  /** Why it was refused. */
  reason?: string;
  /** What its body has thrown. */
  thrown?: unknown;
}

export class Ledger {
  readonly #found: (violation: Violation) => void;

  constructor(found: (violation: Violation) => void) {
    this.#found = found;
  }

  begin(process: string): WriteRecord {
    return { process, hasAsked: false, stored: 0, isCommitted: false, said: undefined };
  }

  /** Called when a transaction with it is committed. `wrote`: something of it. */
  committed(record: WriteRecord, wrote: boolean): void {
    record.isCommitted = true;
    if (!wrote) return;
    record.stored++;
    if (record.stored > 1)
      this.#tell("storedOnce", `a write of ${record.process} was stored ${record.stored} times`);
    if (record.said === "not stored") this.#tellRefused(record);
  }

  acknowledged(record: WriteRecord): void {
    record.said = "stored";
    if (record.hasAsked && !record.isCommitted)
      this.#tell("acknowledgedIsStored", `a write of ${record.process} was acknowledged and is not stored`);
  }

  refused(record: WriteRecord, error: unknown): void {
    record.said = error instanceof Error && error.message === UNKNOWN ? "unknown" : "not stored";
    if (record.said === "not stored") record.reason = String(error);
    if (record.said === "not stored" && record.stored > 0) this.#tellRefused(record);
    const isOfDatabase = error !== record.thrown;
    if (isOfDatabase && !(isUnavailable(error) && error.retryAfterMs !== undefined))
      this.#tell("failuresAreUnavailable", `a write of ${record.process} has failed with ${String(error)}`);
  }

  #tellRefused({ process, reason }: WriteRecord): void {
    this.#tell("refusedIsNotStored", `a write of ${process} is stored, and was refused with ${reason}`);
  }

  #tell(invariant: string, detail: string): void {
    this.#found({ invariant, detail });
  }
}
