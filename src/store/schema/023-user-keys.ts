// Auth providers whose users enter keys of their own.
import type { Migration } from "../migrate";

export const userKeys: Migration = {
  version: 23,
  name: "user keys",
  // The record's `api_key`, without secrets. Keys are connections.
  statements: ["ALTER TABLE auth_providers ADD COLUMN api_key TEXT"],
};
