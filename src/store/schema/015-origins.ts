// The origins that sealed values were given for, as JSON lists. Null: a row that is older than these columns; its values
// belong to the addresses that the row has. `origins_id` changes when the addresses of a provider move to another origin;
// grants with another id are never sent to the provider's present addresses.
import type { Migration } from "../migrate";
import { lateWriteTriggers } from "./013-late-writes";

export const origins: Migration = {
  version: 15,
  name: "origins",
  statements: [
    "ALTER TABLE auth_providers ADD COLUMN origins TEXT",
    "ALTER TABLE models ADD COLUMN origins TEXT",
    "ALTER TABLE plugins ADD COLUMN origins TEXT",
    "ALTER TABLE auth_providers ADD COLUMN origins_id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE connections ADD COLUMN origins_id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE revocations ADD COLUMN origins_id TEXT NOT NULL DEFAULT ''",

    // A provider as it was before its addresses moved, while grants must be revoked there.
    `CREATE TABLE former_providers (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, id TEXT NOT NULL,
      origins_id TEXT NOT NULL, provider_id TEXT, external_id TEXT NOT NULL, oauth2 TEXT NOT NULL,
      origins TEXT, sealed_client_secret TEXT, sealed_private_key TEXT, version INTEGER NOT NULL,
      moved_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, id, origins_id)
    ) STRICT`,
    ...lateWriteTriggers("former_providers", "sealed_client_secret"),
    ...lateWriteTriggers("former_providers", "sealed_private_key"),
  ],
};
