// The health of the database of the execution log.
import { expect, test } from "bun:test";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";

test("a broken execution log is unhealthy", async () => {
  const runtime = await createRuntime(
    loadConfig({ environment: { HOME: temporaryFolder() } }),
    NO_EXTENSIONS,
    {
      log: silentLog,
      openStore: (options) => {
        const store = openSqlite(options);
        if (options.file.endsWith("executions.db")) store.check = () => Promise.reject(new Error("damaged"));
        return store;
      },
    },
  );
  const health = await runtime.health();
  await runtime.close();

  expect(health).toMatchObject({ healthy: false, reason: expect.stringContaining("execution log") });
});
