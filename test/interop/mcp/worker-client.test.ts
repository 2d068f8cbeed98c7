// The conformance suite of the protocol's maintainers, with a worker of this product as the client: what reads catalogs of MCP
// servers and runs their tools, and, for the scenarios about OAuth, a whole deployment with its consents.
import { afterAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readExceptions } from "./exceptions";
import { testWithPeers } from "./peers";
import { requiredScenarios, runClientScenario, type SuiteRun } from "./suite";

const SCENARIO_MS = 60_000;
const commandOf = (scenario: string): string => {
  const program = scenario.startsWith("auth/") ? "worker-oauth-client.ts" : "worker-client.ts";
  return `${process.execPath} ${join(import.meta.dir, program)}`;
};

/** For each revision: what the suite has for clients. It scores those that the revision requires. */
const SCENARIOS = {
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
  ],
} as const;
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

const exceptions = readExceptions(readFileSync(join(import.meta.dir, "client-exceptions.txt"), "utf8"));
const runOf = (revision: string): SuiteRun => ({ suite: "conformance-2026", revision });

describe.each(REVISIONS)("the conformance suite for %s, with a worker as the client", (revision) => {
  const scenarios: readonly string[] = SCENARIOS[revision];
  let passes = 0;
  afterAll(() =>
    console.info(`conformance, client half, ${revision}: ${passes} of ${scenarios.length} scenarios pass`),
  );

  testWithPeers().each(scenarios.map((scenario) => [scenario]))(
    "%s passes, unless it is an exception",
    async (scenario) => {
      const { passed, printed } = await runClientScenario(runOf(revision), scenario, commandOf(scenario));
      const isClean = passed && printed.includes("0 failed, 0 warnings");
      const isException = exceptions.some((exception) => exception.scenario === scenario);

      expect(isClean || isException ? "passed, or an exception" : printed).toBe("passed, or an exception");
      expect(isClean && isException ? "an exception that passes" : "").toBe("");
      if (isClean) passes++;
    },
    SCENARIO_MS,
  );

  testWithPeers()("leaves out nothing that the revision requires", async () => {
    const required = await requiredScenarios(runOf(revision), "client");

    expect(required.filter((scenario) => !scenarios.includes(scenario))).toEqual([]);
    expect(required.length).toBeGreaterThan(15);
  });
});
