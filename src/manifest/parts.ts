// The kinds of records in a manifest: how to export and apply each of them.
import { present } from "../base";
import type { GatewayRecord } from "../gateways";
import type { Principal } from "../identity";
import type { AuthProvider, AuthProviderCreate } from "../providers";
import { exportedHooks, planHooks } from "./hooks";
import { exportedModels, planModels } from "./models";
import { exportedPlugins, planPlugins } from "./plugins";
import type { ExportedManifest, Manifest } from "./schema";
import {
  byName,
  changeOf,
  differing,
  distinctNames,
  everything,
  type Plan,
  type Services,
  type Step,
} from "./step";

/** In the order in which they are applied. */
export const PLANS: readonly Plan[] = [
  planSettings,
  planSecrets,
  planProviders,
  planGateways,
  planPlugins,
  planHooks,
  planModels,
];

export async function exported(services: Services, principal: Principal): Promise<ExportedManifest> {
  const [{ verifier_url, unsafe_skip_verification }, providers, secrets, gateways, plugins, hooks, models] =
    await Promise.all([
      services.settings.get(principal),
      services.providers.list(principal),
      services.secrets.list(principal),
      allGateways(services, principal),
      exportedPlugins(services, principal),
      exportedHooks(services, principal),
      exportedModels(services, principal),
    ]);
  const nameOf = distinctNames();
  return {
    session_verification: { verifier_url, unsafe_skip_verification },
    providers: byName(providers.items, "id").map((record) => exportedProvider(record, nameOf(record.id))),
    secrets: byName(
      secrets.items.map(({ key, description }) => ({
        key,
        ...present({ description }),
        value_from: { env: key },
      })),
      "key",
    ),
    gateways: byName(gateways.map(exportedGateway), "slug"),
    plugins,
    hooks,
    models,
  };
}

// `prefix`: that of the variables for its secrets.
function exportedProvider(provider: AuthProvider, prefix: string) {
  const { oauth2, binding: _binding, created_at: _created, updated_at: _updated, ...record } = provider;
  const { client_secret, private_key, redirect_uri: _uri, ...visible } = oauth2;
  return {
    ...record,
    oauth2: {
      ...visible,
      ...(client_secret.exists ? { client_secret_from: { env: `${prefix}_CLIENT_SECRET` } } : {}),
      ...(private_key?.exists === true ? { private_key_from: { env: `${prefix}_PRIVATE_KEY` } } : {}),
    },
  };
}

function exportedGateway(gateway: GatewayRecord) {
  const { id: _id, binding: _binding, created_at: _created, updated_at: _updated, ...record } = gateway;
  return record;
}

async function planSettings(
  { settings }: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const { session_verification: wanted } = manifest;
  if (wanted === undefined) return [];
  const fields = differing(wanted, await settings.get(principal));
  return [
    {
      change: changeOf("session_verification", "project", fields),
      run: () => settings.update(principal, wanted),
    },
  ];
}

async function planSecrets({ secrets }: Services, principal: Principal, manifest: Manifest): Promise<Step[]> {
  const { items } = await secrets.list(principal);
  return (manifest.secrets ?? []).map(({ key, ...wanted }) => {
    const present = items.find((each) => each.key.toLowerCase() === key.toLowerCase());
    const { value, ...described } = wanted;
    const fields = [...differing(described, present ?? {}), ...(value === undefined ? [] : ["value"])];
    const change = changeOf("secret", key, present === undefined ? undefined : fields);
    const isMissing = value === undefined && change.action !== "unchanged";
    return {
      change,
      missing: isMissing ? [`the value of the secret ${key}`] : [],
      run: () => secrets.upsert(principal, key, { ...described, value: value ?? "" }),
    };
  });
}

async function planProviders(
  { providers }: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const { items } = await providers.list(principal);
  return (manifest.providers ?? []).map((given): Step => {
    const { client_secret_from, private_key_from, ...oauth2 } = given.oauth2;
    const wanted: AuthProviderCreate = { ...given, oauth2 };
    const present = items.find(({ id }) => id === wanted.id);
    const isMissing = (source: unknown, value: unknown, known: { exists: boolean } | undefined): boolean =>
      source !== undefined && value === undefined && known?.exists !== true;
    const missing = [
      ...(isMissing(client_secret_from, oauth2.client_secret, present?.oauth2.client_secret)
        ? [`the client secret of the provider ${wanted.id}`]
        : []),
      ...(isMissing(private_key_from, oauth2.private_key, present?.oauth2.private_key)
        ? [`the private key of the provider ${wanted.id}`]
        : []),
    ];
    if (present === undefined) {
      const create = changeOf("provider", wanted.id, undefined);
      return { change: create, missing, run: () => providers.create(principal, wanted) };
    }
    const { external_id: _fixed, ...patch } = wanted;
    return {
      change: changeOf("provider", wanted.id, providerFields(patch, present)),
      missing,
      check: () => providers.check(principal, wanted.id, patch),
      run: () => providers.update(principal, wanted.id, patch),
    };
  });
}

// A given secret always counts as changed: the stored one cannot be compared.
function providerFields({ oauth2, ...wanted }: AuthProviderCreate, present: AuthProvider): string[] {
  const { client_secret, private_key, ...visible } = oauth2;
  return [
    ...differing({ ...wanted, oauth2: visible }, present),
    ...(client_secret === undefined ? [] : ["oauth2.client_secret"]),
    ...(private_key === undefined ? [] : ["oauth2.private_key"]),
  ];
}

async function planGateways(services: Services, principal: Principal, manifest: Manifest): Promise<Step[]> {
  const { gateways } = services;
  const present = await allGateways(services, principal);
  return (manifest.gateways ?? []).map((wanted): Step => {
    const { slug, name } = wanted;
    const known = present.find((each) => (slug === undefined ? each.name === name : each.slug === slug));
    if (known === undefined) {
      const create = changeOf("gateway", slug ?? name, undefined);
      return { change: create, run: () => gateways.create(principal, wanted) };
    }
    return {
      change: changeOf("gateway", known.slug, differing(wanted, known)),
      run: () => gateways.patch(principal, known.id, wanted),
    };
  });
}

function allGateways({ gateways }: Services, principal: Principal): Promise<GatewayRecord[]> {
  return everything((window) => gateways.list(principal, window));
}
