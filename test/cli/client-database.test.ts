// The database in the entry of an MCP client, which starts this program with another environment.
import { expect, test } from "bun:test";
import { databaseOf } from "../../cli/mcp-clients";
import { UsageError } from "../../cli/errors";
import { load } from "../config/home";

const PLAIN = "postgres://runtime@db1/app";

test("is that of the flag or of the environment", () => {
  const config = load(undefined, { RUNTIME_DATABASE_URL: PLAIN });

  expect(databaseOf({ database: undefined }, config)).toBe(PLAIN);
  expect(databaseOf({ database: "postgres://runtime@db2/app" }, config)).toBe("postgres://runtime@db2/app");
});

test("is left to the configuration file, which the client's command reads too", () => {
  const config = load("database:\n  url: postgres://runtime:s3cret@db1/app\n");

  expect(databaseOf({ database: undefined }, config)).toBeUndefined();
});

test("is refused with a password, which would be in the client's file", () => {
  const config = load(undefined, { RUNTIME_DATABASE_URL: "postgres://runtime:s3cret@db1/app" });
  const connect = (): unknown => databaseOf({ database: undefined }, config);

  expect(connect).toThrow(UsageError);
  expect(connect).toThrow("RUNTIME_DATABASE_URL contains a password");
  expect(connect).not.toThrow("s3cret");
});
