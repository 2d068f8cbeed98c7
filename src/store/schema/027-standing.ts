// What admitted a caller, so that a later use can be compared with it: how a person signed in, and what scheduled a run.
import type { Migration } from "../migrate";

export const standing: Migration = {
  version: 27,
  name: "standing",
  statements: [
    // How the person was signed in who allowed it. Empty: before this was stored; such a grant does not count.
    "ALTER TABLE client_grants ADD COLUMN method TEXT NOT NULL DEFAULT ''",
    // The row of `client_grants` by whose token a run was scheduled; null: another credential.
    "ALTER TABLE scheduled_runs ADD COLUMN grant_id TEXT",
  ],
};
