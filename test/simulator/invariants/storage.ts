// What is stored: readable by everybody, sealed with a key that exists, in order, and of its own project.
import type { Operation } from "../operation";
import { SECOND } from "../work";
import { type Check, type Checked, newlyEnded, underWay } from "./checked";

/** The log that SQLite writes ahead is copied into the database when it has this many bytes; some more may follow. */
const WAL_BYTES = 16 * 1024 * 1024;

export const acknowledgedWritesReadable: Check = async ({ work, processes }) => {
  const { secret } = work;
  if (secret === undefined) return undefined;
  for (const process of processes) {
    const seen = await process.observe((runtime) => runtime.secrets.value("default", "WORD"));
    if (seen === undefined || process.runtime === undefined || process.isFrozen) continue;
    if (seen.value !== secret)
      return `${process.name} read ${seen.value} after ${secret} had been acknowledged`;
  }
  return undefined;
};

export const sealedValuesOpen: Check = async ({ observer }) => {
  for (const row of observer.connections()) {
    try {
      await observer.refreshTokenOf(row);
    } catch (error) {
      return `the tokens of ${row.user_id} cannot be opened: ${String(error)}`;
    }
  }
  return undefined;
};

export const sealedValuesNameKeys: Check = ({ observer }) => {
  const place = observer.missingDataKey();
  return place === undefined ? undefined : `a value in ${place} names a data key that does not exist`;
};

export const rootKeyIsReadable: Check = (checked) =>
  underWay("rootKeyIsReadable")(checked) ?? unreadableRootKey(checked);

export function unreadableRootKey({ observer }: Checked): string | undefined {
  const { named, readable } = observer.rootKeys();
  if (named !== undefined && readable.includes(named)) return undefined;
  return `no file in the folder of the key file contains the root key ${named}, which the database names`;
}

export const auditInOrder: Check = ({ observer }) => {
  const id = observer.misplacedAuditEntry();
  return id === undefined ? undefined : `the audit entry ${id} sorts before one that was committed earlier`;
};

export const walIsBounded: Check = ({ observer }) => {
  const bytes = observer.walBytes();
  return bytes <= WAL_BYTES ? undefined : `the log of SQLite has ${bytes} bytes`;
};

/** The execution log loses entries only with the power. */
export const logKeepsEntries: Check = ({ observer, history }) => {
  const before = history.logged;
  history.logged = observer.logged();
  return history.logged >= before
    ? undefined
    : `the execution log had ${before} entries and has ${history.logged}`;
};

export const oneLogEntry: Check = ({ operations, observer, history }) => {
  for (const { execution, label } of operations) {
    // An answer without a duration is not the answer of a run. A repeat gets the answer of a process that may have ended.
    if (execution?.duration === undefined) continue;
    const calls = operations.filter((each) => each.label === label);
    if (calls.some(({ life, since }) => !life.isAlive || since <= history.powerLostAt)) continue;
    const entries = observer.entries(execution.id);
    if (entries !== 1) return `${label} (${execution.id}) has ${entries} entries in the execution log`;
  }
  return undefined;
};

/** Looks at what operations have seen and done when they end. */
export const resultsAreRight: Check = (checked) => {
  for (const operation of newlyEnded(checked)) {
    const detail = strangeEntry(checked, operation) ?? unfinishedRotation(checked, operation);
    if (detail !== undefined) return detail;
  }
  return undefined;
};

export const projectsAreApart: Check = ({ observer }) => {
  const incarnation = observer.incarnation(SECOND)?.toLowerCase();
  const strange = observer.secretKeys(SECOND).find((key) => !key.startsWith(incarnation ?? ""));
  return strange && `a secret of an earlier project, ${strange}, is in the new one, ${incarnation}`;
};

function strangeEntry({ observer }: Checked, { label, seen, principal }: Operation): string | undefined {
  const strange = seen?.find((id) => {
    const incarnation = observer.incarnationOfEntry(id);
    return incarnation !== undefined && incarnation !== principal?.incarnation;
  });
  return strange && `${label} was shown the entry ${strange} of another project`;
}

function unfinishedRotation({ observer, operations }: Checked, operation: Operation): string | undefined {
  const { rotated, principal, began } = operation;
  if (rotated === undefined || principal?.projectId !== SECOND) return undefined;
  if (rotated.unopenable !== undefined) return undefined;
  if (principal.incarnation !== observer.incarnation(SECOND)) return undefined;
  const mayStore = ({ step, ended }: Operation): boolean =>
    (ended ?? Infinity) > began &&
    (step.kind === "visit" || step.kind === "rotate" || (step.kind === "secrets" && step.does === "store"));
  if (operations.some((other) => other !== operation && mayStore(other))) return undefined;
  const left = observer.sealedByOthers(SECOND, rotated.id);
  return left === 0
    ? undefined
    : `${operation.label} left ${left} secrets under an older key although none was stored meanwhile`;
}
