// Which credential may call which operation: the roles of the operation table.
import { operations } from "../../server/operations";
import type { Role } from "../../src/identity";
import type { DescribedOperation } from "../support/described";
import type { Credential } from "./world";

const ROLE: Partial<Record<Credential, Role>> = {
  "a read key": "read",
  "a run key": "run",
  "a user token": "run",
  "an admin key": "admin",
  "a key of another project": "admin",
};

/** A user who confirms himself proves nothing: the service refuses, after what is sent has been checked. */
export const FOR_KEYS: readonly string[] = ["confirm-user-auth-flow"];

export function may(operation: DescribedOperation, credential: Credential): boolean {
  const admitted = operations.find(({ id }) => id === operation.id)?.credential ?? [];
  const role = ROLE[credential];
  if (credential === "a user token" && FOR_KEYS.includes(operation.id)) return false;
  return admitted === "public" || (role !== undefined && admitted.includes(role));
}
