// Which credential may call which operation: the table of docs/roles.md.
import type { DescribedOperation } from "../support/described";
import { type Column, mayCall } from "../support/role-table";
import type { Credential } from "./world";

const COLUMN: Partial<Record<Credential, Column>> = {
  "a read key": "read",
  "a run key": "run",
  "a user token": "member",
  "a token of an approver": "approver",
  "a token of an auditor": "auditor",
  "a token of an administrator": "administrator",
  "a verify key": "verify",
  "a metrics key": "metrics",
  "an admin key": "admin",
  "a key of another project": "admin",
};

export function may({ method, path }: DescribedOperation, credential: Credential): boolean {
  const admitted = mayCall(method, path);
  return admitted.has("none") || admitted.has(COLUMN[credential] ?? "none");
}
