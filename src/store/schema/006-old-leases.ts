// Leases that ended long ago are found by their time.
import type { Migration } from "../migrate";

export const oldLeases: Migration = {
  version: 6,
  name: "old leases",
  statements: ["CREATE INDEX leases_old ON leases (expires_at)"],
};
