// Errors of PostgreSQL as callers see them.
import { expect, test } from "bun:test";
import { isUnavailable } from "../../../src/errors";
import { translateError } from "../../../src/store/postgres/failures";

test.each(["40001", "40P01"])("a conflict that lasts too long can be sent again: %s", (errno) => {
  const error = translateError(Object.assign(new Error("conflict"), { errno }));

  expect(isUnavailable(error)).toBe(true);
  expect(error).toHaveProperty("retryAfterMs", 1000);
});
