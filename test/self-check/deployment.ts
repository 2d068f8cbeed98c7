// A deployment whose platform is a stand-in behind a front that deviates.
import { extensions } from "../../catalogs";
import type { SelfCheckReport } from "../../src/tools";
import { type Deployment, deploy, type GrantOptions, operator } from "../tools/deployment";
import { type Deviation, type DeviatingFront, startFront } from "./deviating";

export interface Checked extends AsyncDisposable {
  readonly deployment: Deployment;
  readonly front: DeviatingFront;
  /** The report of alice's self-check while the platform deviates. */
  report(options?: { write?: boolean; deviation?: Deviation }): Promise<SelfCheckReport>;
}

export async function checkedPlatform(
  platform: string,
  standIn: { url: string; stop(): Promise<void> },
  setUp: {
    environment(front: string): Record<string, string>;
    provider: object;
    secrets?(front: string): Record<string, string>;
    grant: GrantOptions;
  },
): Promise<Checked> {
  const front = startFront(standIn.url);
  const deployment = await deploy({
    environment: setUp.environment(front.url),
    catalogs: extensions.catalogs,
    presets: extensions.presets,
  });
  await deployment.addProvider({ ...setUp.provider });
  for (const [name, value] of Object.entries(setUp.secrets?.(front.url) ?? {}))
    await deployment.runtime.secrets.upsert(operator(), name, { value });
  await deployment.give("alice", { provider: platform, refresh: null, ...setUp.grant });
  return {
    deployment,
    front,
    async report({ write = false, deviation } = {}) {
      front.deviate(deviation ?? null);
      // The calls of earlier runs no longer count.
      deployment.clock.move(120_000);
      const request = { platform, user_id: "alice", write };
      return (await deployment.runtime.tools.selfChecks.run(operator(), request)).report;
    },
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]();
      await front[Symbol.asyncDispose]();
      await standIn.stop();
    },
  };
}

/** The names of the checks with this status. */
export function checksWith(report: SelfCheckReport, ...statuses: string[]): string[] {
  return report.checks.filter(({ status }) => statuses.includes(status)).map(({ check }) => check);
}
