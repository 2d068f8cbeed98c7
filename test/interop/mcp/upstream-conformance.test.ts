// The conformance suite with a real gateway whose tools, prompts and resources are those of an MCP server: in each revision, with
// a server of either family behind it.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Site } from "../../support/site";
import { mcpWorker } from "../../workers/site";
import { compare, readExceptions } from "./exceptions";
import { conformanceCatalogs } from "./fixtures";
import { type Front, startFront } from "./front";
import { credentials, startGatewaySite } from "./gateway";
import { testWithPeers } from "./peers";
import { runSuite, type SuiteRun } from "./suite";
import {
  changingUpstream,
  conformanceUpstream,
  type Family,
  listChange,
  schemaUpstream,
} from "./upstream-fixtures";

const RUNS: readonly (SuiteRun & { family: Family })[] = [
  { suite: "conformance-2025", revision: "2025-06-18", family: "legacy" },
  { suite: "conformance-2025", revision: "2025-11-25", family: "modern" },
  { suite: "conformance-2026", revision: "2025-11-25", family: "legacy" },
  { suite: "conformance-2026", revision: "2026-07-28", family: "modern" },
];
const SUITE_MS = 150_000;

const exceptions = readExceptions(readFileSync(join(import.meta.dir, "upstream-exceptions.txt"), "utf8"));

describe("a gateway with an MCP server behind it passes", () => {
  const fronts = new Map<Family, Front>();
  const sites = new Map<Family, Site>();
  const stack = new AsyncDisposableStack();
  const seen = new Set<string>();

  beforeAll(async () => {
    for (const family of ["legacy", "modern"] as const) {
      const server = stack.use(conformanceUpstream(family));
      const schemas = stack.use(schemaUpstream(family, schemaFixture()));
      const { site, key, gateway } = stack.use(await startGatewaySite());
      const operator = await site.runtime.identity.operator("default");
      for (const [toolkit, { url }] of [
        ["test", server],
        ["json", schemas],
        ["changing", stack.use(changingUpstream(family))],
      ] as const)
        await site.runtime.workers.create(operator, { ...mcpWorker(toolkit, url), toolkit });
      await gateway("conformance");
      sites.set(family, site);
      fronts.set(family, stack.use(await startFront(site.url, credentials(key))));
    }
  });
  afterAll(() => stack.disposeAsync());

  testWithPeers().each(RUNS.map((run) => [run.suite, run.revision, run.family, run] as const))(
    "%s for %s with a server of the %s family, except for the exceptions",
    async (_suite, _revision, family, run) => {
      listChange.trigger = () => changing(sites.get(family));
      const verdicts = await runSuite(run, `${fronts.get(family)?.url}/mcp/conformance`);
      for (const scenario of verdicts.scenarios) seen.add(scenario);
      const failed = new Set(verdicts.failures.map(({ scenario }) => scenario));
      const all = new Set(verdicts.scenarios).size;
      console.info(
        `conformance, gateway with an MCP server of the ${family} family, ${run.suite}, ${run.revision}: ` +
          `${all - failed.size} of ${all} scenarios pass`,
      );

      expect(compare(verdicts, exceptions)).toEqual({ unexpected: [], passing: [] });
    },
    SUITE_MS,
  );

  testWithPeers()("and every exception ran", () => {
    expect(exceptions.filter(({ scenario }) => !seen.has(scenario))).toEqual([]);
  });
});

/** Disables the worker that has more, or enables it again. */
async function changing(site: Site | undefined): Promise<void> {
  if (site === undefined) return;
  const { workers, identity } = site.runtime;
  const operator = await identity.operator("default");
  const { enabled } = await workers.get(operator, "changing");
  await workers.update(operator, "changing", { enabled: enabled !== true });
}

/** The schema that a list of tools must keep, as the tool of this server has it. */
function schemaFixture(): object {
  const kit = conformanceCatalogs.find(({ toolkit }) => toolkit.name === "json");
  return { ...kit?.tools[0]?.input };
}
