// The removal of deleted values fails, and no other write is tried.
import { expect, test } from "bun:test";
import { createLog, systemClock } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { openTroubled, type Trouble } from "../simulator/simulated-database";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";

const OPERATOR = { kind: "operator", projectId: "default" } as const;
/** A sweep takes about a millisecond. */
const ERASE_EVERY_MS = 2;

for (const fault of ["refused", "full"] as const)
  test(`a disk that is ${fault} is unhealthy, and is logged once`, async () => {
    const trouble: Trouble = { fault: undefined, failingSince: undefined, now: () => performance.now() };
    const lines: string[] = [];
    const log = createLog({ level: "warn", clock: systemClock, write: (line) => lines.push(line) });
    const runtime = await createRuntime(
      loadConfig({ environment: { HOME: temporaryFolder() } }),
      NO_EXTENSIONS,
      {
        log,
        openStore: (options) =>
          openSqlite({
            ...options,
            eraseEveryMs: ERASE_EVERY_MS,
            openWriter: (file) => openTroubled(file, trouble),
          }),
      },
    );
    const told = (): number => lines.filter((line) => line.includes("deleted values not removed")).length;
    await runtime.secrets.upsert(OPERATOR, "KEY", { value: "x" });
    await runtime.secrets.delete(OPERATOR, "KEY");
    trouble.fault = fault;
    while (trouble.failingSince === undefined) await Bun.sleep(1);
    const bad = await runtime.health();
    // The rewrite is tried again meanwhile.
    trouble.failingSince = undefined;
    while (trouble.failingSince === undefined) await Bun.sleep(1);
    trouble.fault = undefined;
    const good = await runtime.health();
    await runtime.close();

    expect(bad).toMatchObject({ healthy: false, reason: expect.stringContaining("has refused writes") });
    expect(good).toEqual({ healthy: true });
    expect(told()).toBe(1);
  });
