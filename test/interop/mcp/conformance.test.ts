// The conformance suite of the protocol's maintainers with a real gateway: both packages, every supported revision.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { compare, exceptions, readExceptions } from "./exceptions";
import { type Front, startFront } from "./front";
import { credentials, type GatewaySite, startFixtureSite } from "./gateway";
import { testWithPeers } from "./peers";
import { runSuite, type SuiteRun, type Verdicts } from "./suite";

const RUNS: readonly SuiteRun[] = [
  { suite: "conformance-2025", revision: "2025-06-18" },
  { suite: "conformance-2025", revision: "2025-11-25" },
  { suite: "conformance-2026", revision: "2025-11-25" },
  { suite: "conformance-2026", revision: "2026-07-28" },
];
const SUITE_MS = 150_000;

/** Scenarios that a server of tools can pass: no exception may cover one of them completely. */
const MET = [
  "server-initialize",
  "server-session-lifecycle",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
  "server-stateless",
  "caching",
  "http-header-validation",
  "http-custom-header-server-validation",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-sampling",
  "input-required-result-basic-list-roots",
  "input-required-result-request-state",
  "input-required-result-multiple-input-requests",
  "input-required-result-multi-round",
  "input-required-result-missing-input-response",
  "input-required-result-result-type",
  "input-required-result-unsupported-methods",
  "input-required-result-tampered-state",
  "input-required-result-capability-check",
  "input-required-result-ignore-extra-params",
  "input-required-result-validate-input",
];

describe("a gateway passes", () => {
  let site: GatewaySite & { readonly address: string };
  let front: Front;
  const seen = new Set<string>();

  beforeAll(async () => {
    site = await startFixtureSite();
    front = await startFront(site.address, credentials(site.key));
  });
  afterAll(async () => {
    await front[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  testWithPeers().each(RUNS.map((run) => [run.suite, run.revision, run] as const))(
    "%s for %s, except for the exceptions",
    async (_suite, _revision, run) => {
      const verdicts = await runSuite(run, front.url + new URL(site.address).pathname);
      for (const scenario of verdicts.scenarios) seen.add(scenario);

      expect(compare(verdicts, exceptions)).toEqual({ unexpected: [], passing: [] });
    },
    SUITE_MS,
  );

  testWithPeers()("and all ran: what it can meet, and every exception", () => {
    const named = [...MET, ...exceptions.map(({ scenario }) => scenario)];

    expect(named.filter((scenario) => !seen.has(scenario))).toEqual([]);
  });
});

describe("the exceptions", () => {
  test("name no scenario that a server of tools can pass", () => {
    const whole = exceptions.filter(({ check }) => check === undefined).map(({ scenario }) => scenario);

    expect(whole.filter((scenario) => MET.includes(scenario))).toEqual([]);
  });

  const verdicts: Verdicts = {
    scenarios: ["ping", "prompts-list", "caching"],
    failures: [
      { scenario: "prompts-list", check: "prompts-list PromptsList", message: "no" },
      { scenario: "caching", check: "one One", message: "no" },
    ],
  };

  test("allow only the named failures", () => {
    const lines = readExceptions("# why\nprompts-list: none here\n");

    expect(compare(verdicts, lines)).toEqual({ unexpected: ["caching > one One: no"], passing: [] });
  });

  test("must not name passing checks", () => {
    const lines = readExceptions("prompts-list: none\ncaching > one: none\ncaching > two: x\nping: y\n");

    expect(compare(verdicts, lines)).toEqual({
      unexpected: [],
      passing: [
        { scenario: "caching", check: "two", reason: "x" },
        { scenario: "ping", check: undefined, reason: "y" },
      ],
    });
  });

  test("need reasons", () => {
    expect(() => readExceptions("prompts-list:\n")).toThrow("not an exception");
  });
});
