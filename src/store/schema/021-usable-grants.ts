// Which of the grants that are to be revoked a later consent may continue.
import type { Migration } from "../migrate";

export const usableGrants: Migration = {
  version: 21,
  name: "usable grants",
  statements: ["ALTER TABLE revocations ADD COLUMN is_usable INTEGER NOT NULL DEFAULT 0"],
};
