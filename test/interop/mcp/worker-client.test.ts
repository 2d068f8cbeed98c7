// The conformance suite of the protocol's maintainers, with a worker of this product as the client: what reads catalogs of MCP
// servers and runs their tools.
import { afterAll, describe, expect } from "bun:test";
import { join } from "node:path";
import { testWithPeers } from "./peers";
import { requiredScenarios, runClientScenario, type SuiteRun } from "./suite";

const COMMAND = `${process.execPath} ${join(import.meta.dir, "worker-client.ts")}`;
const SCENARIO_MS = 60_000;

/** All scenarios about messages that the suite has for clients. Those about OAuth need consents. */
const SCENARIOS: readonly (readonly [scenario: string, revision: string])[] = [
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-11-25"],
  ["elicitation-sep1034-client-defaults", "2025-11-25"],
  ["sse-retry", "2025-11-25"],
  ["json-schema-2020-12-preservation", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["request-metadata", "2026-07-28"],
  ["sep-2322-client-request-state", "2026-07-28"],
  ["http-standard-headers", "2026-07-28"],
  ["http-custom-headers", "2026-07-28"],
  ["http-invalid-tool-headers", "2026-07-28"],
  ["json-schema-ref-no-deref", "2026-07-28"],
  ["json-schema-2020-12-preservation", "2026-07-28"],
];

const runOf = (revision: string): SuiteRun => ({ suite: "conformance-2026", revision });

describe("the conformance suite, with a worker as the client", () => {
  let passes = 0;
  afterAll(() =>
    console.info(`conformance, client half: ${passes} of ${SCENARIOS.length} scenarios about messages pass`),
  );

  testWithPeers().each(SCENARIOS)(
    "%s for %s passes",
    async (scenario, revision) => {
      const { passed, printed } = await runClientScenario(runOf(revision), scenario, COMMAND);

      expect(passed ? "passed" : printed).toBe("passed");
      expect(printed).toContain("0 failed, 0 warnings");
      passes++;
    },
    SCENARIO_MS,
  );

  testWithPeers().each([["2025-11-25"], ["2026-07-28"]])(
    "no scenario that %s requires is left out",
    async (revision) => {
      const required = await requiredScenarios(runOf(revision), "client");
      const run = SCENARIOS.filter(([, of]) => of === revision).map(([scenario]) => scenario);

      expect(required.filter((scenario) => !scenario.startsWith("auth/") && !run.includes(scenario))).toEqual(
        [],
      );
      expect(required.length).toBeGreaterThan(15);
    },
  );
});
