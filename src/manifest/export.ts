// Exports the records of a project, one function for each kind.
import { present } from "../base";
import type { GatewayRecord } from "../gateways";
import type { Principal } from "../identity";
import type { AuthProvider } from "../providers";
import { exportedHooks } from "./hooks";
import { exportedModels } from "./models";
import { exportedPlugins } from "./plugins";
import type { ExportedManifest } from "./schema";
import { exportedWorkers } from "./workers";
import { byName, distinctNames, everything, type Services } from "./step";

export async function exported(services: Services, principal: Principal): Promise<ExportedManifest> {
  const [
    { verifier_url, unsafe_skip_verification },
    providers,
    secrets,
    gateways,
    plugins,
    hooks,
    models,
    workers,
  ] = await Promise.all([
    services.settings.get(principal),
    services.providers.list(principal),
    services.secrets.list(principal),
    allGateways(services, principal),
    exportedPlugins(services, principal),
    exportedHooks(services, principal),
    exportedModels(services, principal),
    exportedWorkers(services, principal),
  ]);
  const nameOf = distinctNames();
  return {
    session_verification: { verifier_url, unsafe_skip_verification },
    // Those of workers are created with them.
    providers: byName(
      providers.items.filter(({ oauth2 }) => oauth2?.worker === undefined),
      "id",
    ).map((record) => exportedProvider(record, nameOf(record.id))),
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
    workers,
  };
}

// `prefix`: that of the variables for its secrets.
function exportedProvider(provider: AuthProvider, prefix: string) {
  const { oauth2, binding: _binding, created_at: _created, updated_at: _updated, ...record } = provider;
  // Of the type `api_key`: it has no secret.
  if (oauth2 === undefined) return record;
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
  const {
    id: _id,
    binding: _binding,
    created_at: _created,
    updated_at: _updated,
    unknown_tools: _unknown,
    ...record
  } = gateway;
  return record;
}

/** All gateways of the project. */
export function allGateways({ gateways }: Services, principal: Principal): Promise<GatewayRecord[]> {
  return everything((window) => gateways.list(principal, window));
}
