// An API key as the audit trail shows it.
import { timestamp } from "../base";
import type { KeyRow } from "./repository";

export function auditedKey({ name, role, prefix, users, expires_at }: KeyRow): object {
  return {
    name,
    role,
    prefix,
    ...(users === null ? {} : { users: JSON.parse(users) }),
    ...(expires_at === null ? {} : { expires_at: timestamp(expires_at) }),
  };
}
