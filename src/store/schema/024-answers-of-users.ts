// The user of an answer that is kept for a repeated request, so that it can be erased with the user.
import type { Migration } from "../migrate";

export const answersOfUsers: Migration = {
  version: 24,
  name: "answers of users",
  statements: ["ALTER TABLE idempotency ADD COLUMN user_id TEXT"],
};
