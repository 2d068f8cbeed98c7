// The error for a stored value that cannot be opened. It may be logged.
import { expect, test } from "bun:test";
import { unopenable } from "../../src/crypto/unopenable";

test("names the row, unless that is a user", () => {
  const secret = unopenable({ table: "secrets", row: "token", field: "value" });
  const grant = unopenable({ table: "connections", row: '["alice@example.com","slack"]', field: "tokens" });

  expect(secret.message).toContain("(value of token in secrets)");
  expect(grant.message).toContain("(tokens in connections)");
});
