// The stored registrations of clients, sealed: one for each worker and issuer.
import type { Core } from "../../core";
import { type Place, sealedColumn, Unopenable } from "../../crypto";
import { command, erase, insertInto, query, type Transaction } from "../../store";
import type { Registration } from "./registration";

interface RegistrationRow {
  project_id: string;
  worker_id: string;
  issuer: string;
  sealed_registration: string;
  created_at: number;
}

const FIND = query<RegistrationRow>(
  "SELECT project_id, worker_id, issuer, sealed_registration, created_at FROM worker_clients " +
    "WHERE project_id = ? AND worker_id = ? AND issuer = ?",
);
const put = insertInto<RegistrationRow>(
  "worker_clients",
  ["project_id", "worker_id", "issuer", "sealed_registration", "created_at"],
  "ON CONFLICT (project_id, worker_id, issuer) DO UPDATE SET sealed_registration = excluded.sealed_registration, created_at = excluded.created_at",
);
const removeAll = command<Pick<RegistrationRow, "project_id" | "worker_id">>(
  "DELETE FROM worker_clients WHERE project_id = :project_id AND worker_id = :worker_id",
);

export interface WorkerKey {
  projectId: string;
  id: string;
}

/** The registration of a worker with an issuer. One that cannot be opened is lost. */
export async function registrationWith(
  { store, keyring }: Pick<Core, "store" | "keyring">,
  worker: WorkerKey,
  issuer: string,
): Promise<Registration | undefined> {
  const row = await store.get(FIND, worker.projectId, worker.id, issuer);
  if (row === undefined) return undefined;
  try {
    const text = await keyring.open(worker.projectId, placeOf(worker.id, issuer), row.sealed_registration);
    return JSON.parse(text) as Registration;
  } catch (error) {
    if (error instanceof Unopenable) return undefined;
    throw error;
  }
}

/** Stores a registration, as a part of a transaction. */
export async function keepRegistration(
  { keyring, clock }: Pick<Core, "keyring" | "clock">,
  worker: WorkerKey,
  registration: Registration,
): Promise<() => Transaction<void>> {
  const { issuer } = registration;
  const row = {
    project_id: worker.projectId,
    worker_id: worker.id,
    issuer,
    sealed_registration: await keyring.seal(
      worker.projectId,
      placeOf(worker.id, issuer),
      JSON.stringify(registration),
    ),
    created_at: clock.now(),
  };
  return function* (): Transaction<void> {
    yield* put(row);
  };
}

/** Those of a deleted worker. */
export function* removeRegistrations({ projectId, id }: WorkerKey): Transaction<void> {
  yield* erase();
  yield* removeAll({ project_id: projectId, worker_id: id });
}

export const sealedRegistrations = [
  sealedColumn({
    table: "worker_clients",
    column: "sealed_registration",
    keys: ["worker_id", "issuer"],
    place: (row) => placeOf(String(row["worker_id"]), String(row["issuer"])),
  }),
];

function placeOf(workerId: string, issuer: string): Place {
  return { table: "worker_clients", row: JSON.stringify([workerId, issuer]), field: "registration" };
}
