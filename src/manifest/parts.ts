// The kinds of records in a document, each with its way in and out.
import type { GatewayRecord } from "../gateways";
import type { Principal } from "../identity";
import type { AuthProvider, AuthProviderCreate } from "../providers";
import { differing, without } from "./difference";
import { exportedHooks, planHooks } from "./hooks";
import { exportedModels, planModels } from "./models";
import { exportedPlugins, planPlugins } from "./plugins";
import type { ExportedManifest, Manifest } from "./schema";
import {
  byName,
  changeOf,
  distinctNames,
  everything,
  needing,
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
        ...(description === undefined ? {} : { description }),
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

const SERVER_FIELDS = ["binding", "created_at", "updated_at"];

// Without the fixed part of its redirect address, which is unique among all projects.
// `name`: how the variables for its secrets begin.
function exportedProvider({ oauth2, ...record }: AuthProvider, name: string) {
  const { client_secret, private_key } = oauth2;
  return {
    ...without(record, SERVER_FIELDS),
    id: record.id,
    oauth2: {
      ...without(oauth2, ["client_secret", "private_key", "redirect_uri"]),
      ...(client_secret.exists ? { client_secret_from: { env: `${name}_CLIENT_SECRET` } } : {}),
      ...(private_key?.exists === true ? { private_key_from: { env: `${name}_PRIVATE_KEY` } } : {}),
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
    return {
      change,
      ...(value === undefined && change.action !== "unchanged"
        ? { missing: `the value of the secret ${key}` }
        : {}),
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
    const lacks = (source: unknown, value: unknown, known: { exists: boolean } | undefined): boolean =>
      source !== undefined && value === undefined && known?.exists !== true;
    const missing = needing([
      ...(lacks(client_secret_from, oauth2.client_secret, present?.oauth2.client_secret)
        ? [`the client secret of the provider ${wanted.id}`]
        : []),
      ...(lacks(private_key_from, oauth2.private_key, present?.oauth2.private_key)
        ? [`the private key of the provider ${wanted.id}`]
        : []),
    ]);
    if (present === undefined) {
      const create = changeOf("provider", wanted.id, undefined);
      return { change: create, ...missing, run: () => providers.create(principal, wanted) };
    }
    const { external_id: _fixed, ...patch } = wanted;
    return {
      change: changeOf("provider", wanted.id, providerFields(patch, present)),
      ...missing,
      run: () => providers.update(principal, wanted.id, patch),
    };
  });
}

// A secret that is given is set anew: nobody can see whether it is the same.
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
