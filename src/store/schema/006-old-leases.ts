// An index to find leases that expired long ago.
import type { Migration } from "../migrate";

export const oldLeases: Migration = {
  version: 6,
  name: "old leases",
  statements: ["CREATE INDEX leases_old ON leases (expires_at)"],
};
