// A deployment whose workers are stand-ins.
import type { Egress } from "../../src/egress";
import type { Principal } from "../../src/identity";
import type { CreateWorker } from "../../src/workers";
import { plainKinds } from "../sandbox/workers";
import { type Site, type SiteOptions, startSite } from "../support/site";

export interface WorkerSite extends Site {
  readonly operator: Principal;
}

export async function startWorkerSite(options: SiteOptions = {}): Promise<WorkerSite> {
  let egress: Egress | undefined;
  const workerKinds = plainKinds(() => {
    if (egress === undefined) throw new Error("the runtime has not been created");
    return egress;
  });
  const site = await startSite({ ...options, parts: { workerKinds, ...options.parts } });
  egress = site.runtime.core.egress;
  return { ...site, operator: await site.runtime.identity.operator("default") };
}

export function mcpWorker(id: string, uri: string, more: Partial<NonNullable<CreateWorker["mcp"]>> = {}) {
  return { id, mcp: { uri, timeout: 10, retry: 0, ...more } } satisfies CreateWorker;
}

export function httpWorker(id: string, uri: string) {
  return { id, http: { uri, secret: "signing-CANARY", timeout: 10, retry: 0 } } satisfies CreateWorker;
}
