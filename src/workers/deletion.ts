// The deletion of a worker with what belongs to it outside of its row: consents, processes and folders.
import type { Principal } from "../identity";
import type { Change } from "../store";
import type { WorkerAuthorizations } from "./authorizations";
import type { WorkerRow } from "./repository";
import type { WorkerRows } from "./row-changes";
import type { StdioWorkers } from "./stdio";

interface Parts {
  rows: WorkerRows;
  authorizations: WorkerAuthorizations;
  programs: StdioWorkers;
}

/** Throws `not_found` in the transaction. */
export function deletionOf(
  { rows, authorizations, programs }: Parts,
  principal: Principal,
  id: string,
): Change<void> {
  let ended: Change<void> | undefined;
  let deleted: WorkerRow | undefined;
  const end = (row: WorkerRow): Change<void> => {
    deleted = row;
    return (ended = authorizations.removal(principal, row));
  };
  return {
    body: () => rows.delete(principal, id, end),
    committed: () => {
      ended?.committed?.();
      if (deleted !== undefined) programs.removeInBackground(deleted);
    },
  };
}
