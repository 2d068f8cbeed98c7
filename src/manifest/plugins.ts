// Plugins of the project in a document. Which of their credentials are set comes out, never what they are.
import type { Plugin } from "../hooks";
import type { Principal } from "../identity";
import { differing } from "./difference";
import type { ExportedManifest, Manifest, ManifestPlugin } from "./schema";
import { byName, changeOf, distinctNames, everything, needing, type Services, type Step } from "./step";

const CREDENTIALS = {
  token: { field: "webhook_config.auth.token", called: "token" },
  client_cert: { field: "webhook_config.auth.client_cert", called: "client certificate" },
  client_key: { field: "webhook_config.auth.client_key", called: "client key" },
  signing_secret: { field: "webhook_config.signing_secret", called: "signing secret" },
} as const;
const NAMES = ["token", "client_cert", "client_key", "signing_secret"] as const;

type Name = (typeof NAMES)[number];

/** All plugins of the project; those of its organization are not its configuration. */
export function allPlugins({ plugins }: Services, principal: Principal): Promise<Plugin[]> {
  return everything((window) => plugins.list(principal, window));
}

export async function exportedPlugins(
  services: Services,
  principal: Principal,
): Promise<ExportedManifest["plugins"]> {
  const records = byName(await allPlugins(services, principal), "name");
  const nameOf = distinctNames();
  return records.map((record) => exportedPlugin(record, nameOf(`PLUGIN_${record.name}`)));
}

// `variable`: how the variables for its credentials begin.
function exportedPlugin(record: Plugin, variable: string) {
  const { name, plugin_type, description, status, retry, webhook_config = {} } = record;
  const { endpoints, auth, health_check_path } = webhook_config;
  const from = (credential: Name) =>
    hasCredential(record, credential)
      ? { [`${credential}_from`]: { env: `${variable}_${credential.toUpperCase()}` } }
      : {};
  return {
    name,
    plugin_type,
    ...(description === undefined ? {} : { description }),
    status,
    retry,
    webhook_config: {
      endpoints,
      auth: {
        type: auth?.type,
        ...(auth?.ca_cert === undefined ? {} : { ca_cert: auth.ca_cert }),
        ...from("token"),
        ...from("client_cert"),
        ...from("client_key"),
      },
      ...(health_check_path === undefined ? {} : { health_check_path }),
      ...from("signing_secret"),
    },
  };
}

function hasCredential({ webhook_config }: Plugin, name: Name): boolean {
  const { auth, signing_secret } = webhook_config ?? {};
  if (name === "client_cert") return auth?.client_cert_configured === true;
  if (name === "client_key") return auth?.client_key_configured === true;
  return (name === "token" ? auth?.token : signing_secret)?.exists === true;
}

export async function planPlugins(
  services: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const { plugins } = services;
  const wantedOnes = manifest.plugins ?? [];
  const present = wantedOnes.length === 0 ? [] : await allPlugins(services, principal);
  return wantedOnes.map((wanted): Step => {
    const known = present.find(({ name }) => name === wanted.name);
    const lacking = NAMES.filter(
      (name) => isWanted(wanted, name) && (known === undefined || !hasCredential(known, name)),
    );
    const missing = needing(
      lacking.map((name) => `the ${CREDENTIALS[name].called} of the plugin ${wanted.name}`),
    );
    if (known === undefined) {
      const change = changeOf("plugin", wanted.name, undefined);
      return { change, ...missing, run: () => plugins.createWithoutHooks(principal, wanted) };
    }
    const fields = [...pluginFields(wanted, known), ...lacking.map((name) => CREDENTIALS[name].field)];
    return {
      change: changeOf("plugin", wanted.name, fields),
      ...missing,
      run: () => plugins.update(principal, known.id, wanted),
    };
  });
}

/** Whether the document wants a credential that it does not hold. */
function isWanted({ webhook_config = {} }: ManifestPlugin, name: Name): boolean {
  const { auth = {}, signing_secret, signing_secret_from } = webhook_config;
  if (name === "signing_secret") return signing_secret === undefined && signing_secret_from !== undefined;
  if (auth[name] !== undefined) return false;
  return auth[`${name}_from`] !== undefined || auth.type === (name === "token" ? "bearer" : "mtls");
}

// A credential that is given is set anew: nobody can see whether it is the same.
function pluginFields(wanted: ManifestPlugin, present: Plugin): string[] {
  const { name: _name, description, status, retry, webhook_config = {} } = wanted;
  const { endpoints, auth = {}, health_check_path, signing_secret } = webhook_config;
  const { type, ca_cert, token, client_cert, client_key } = auth;
  const given = { token, client_cert, client_key, signing_secret };
  const visible = { endpoints, auth: { type, ca_cert }, health_check_path };
  return [
    ...differing({ description, status, retry, webhook_config: visible }, present),
    ...NAMES.filter((name) => given[name] !== undefined).map((name) => CREDENTIALS[name].field),
  ];
}
