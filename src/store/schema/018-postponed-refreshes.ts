// When the provider allows the next refresh of a grant, for providers that refuse further ones for a while.
import type { Migration } from "../migrate";

export const postponedRefreshes: Migration = {
  version: 18,
  name: "postponed refreshes",
  statements: ["ALTER TABLE connections ADD COLUMN refresh_not_before INTEGER"],
};
