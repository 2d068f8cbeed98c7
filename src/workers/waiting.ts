// Which catalogs wait for a consent.
import type { NewGrant } from "../authorization";
import { keyUserOf } from "./administrator-keys";
import { accessOf } from "./authorizations";
import { userKeyIdsOf } from "./config";
import type { WorkerRow } from "./repository";

/** Whether the catalog of a worker is read with this grant. */
export function waitsFor(row: WorkerRow, { userId, providerId }: NewGrant): boolean {
  const access = accessOf(row);
  if (access?.provider === providerId && access.user === userId) return true;
  return userKeyIdsOf(row).includes(providerId) && keyUserOf(row) === userId;
}
