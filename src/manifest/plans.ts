// The steps for each kind of record in a manifest.
import { allGateways } from "./export";
import { planHooks } from "./hooks";
import { planModels } from "./models";
import { planPlugins } from "./plugins";
import { planProviders } from "./providers";
import type { Manifest } from "./schema";
import { planSecrets } from "./secrets";
import { changeOf, differing, type Draft, type Plan, pruned, type Services, type Step } from "./step";
import { planWorkers } from "./workers";
import type { Principal } from "../identity";

/** In the order in which they are applied. */
export const PLANS: readonly Plan[] = [
  planSettings,
  planSecrets,
  planProviders,
  planGateways,
  planPlugins,
  planHooks,
  planModels,
  planWorkers,
];

async function planSettings(
  { settings }: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const { session_verification: wanted } = manifest;
  if (wanted === undefined) return [];
  const differences = differing(wanted, await settings.get(principal));
  return [
    {
      change: changeOf("session_verification", "project", differences),
      field: "session_verification",
      prepare: () => settings.change(principal, wanted),
    },
  ];
}

async function planGateways(
  services: Services,
  principal: Principal,
  manifest: Manifest,
  { prune }: Draft,
): Promise<Step[]> {
  if (manifest.gateways === undefined) return [];
  const { gateways } = services;
  const existing = await allGateways(services, principal);
  const kept = new Set<string>();
  const steps = manifest.gateways.map((wanted, index): Step => {
    const { slug, name } = wanted;
    const known = existing.find((each) => (slug === undefined ? each.name === name : each.slug === slug));
    const field = `gateways.${index}`;
    if (known === undefined) {
      const create = changeOf("gateway", slug ?? name);
      return { change: create, field, prepare: () => gateways.creation(principal, wanted) };
    }
    kept.add(known.id);
    return {
      change: changeOf("gateway", known.slug, differing(wanted, known)),
      field,
      prepare: () => gateways.patching(principal, known.id, wanted),
    };
  });
  const unwanted = prune ? existing.filter(({ id }) => !kept.has(id)) : [];
  return [
    ...unwanted.map(({ id, slug }) => pruned("gateway", slug, () => gateways.deletion(principal, id))),
    ...steps,
  ];
}
