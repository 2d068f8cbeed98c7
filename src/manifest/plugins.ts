// Plugins of the project in a manifest. The export contains which credentials are set, never their values.
import { present } from "../base";
import type { Plugin } from "../hooks";
import type { Principal } from "../identity";
import type { ExportedManifest, Manifest, ManifestPlugin } from "./schema";
import { byName, changeOf, differing, distinctNames, everything, type Services, type Step } from "./step";

const CREDENTIALS = {
  token: { field: "webhook_config.auth.token", title: "token" },
  client_cert: { field: "webhook_config.auth.client_cert", title: "client certificate" },
  client_key: { field: "webhook_config.auth.client_key", title: "client key" },
  signing_secret: { field: "webhook_config.signing_secret", title: "signing secret" },
} as const;
const NAMES = ["token", "client_cert", "client_key", "signing_secret"] as const;

type Name = (typeof NAMES)[number];

/** All plugins of the project, without those of its organization. */
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

// `prefix`: that of the variables for its credentials.
function exportedPlugin(record: Plugin, prefix: string) {
  const { name, plugin_type, description, status, retry, webhook_config = {} } = record;
  const { endpoints, auth, health_check_path } = webhook_config;
  const from = (credential: Name) =>
    hasCredential(record, credential)
      ? { [`${credential}_from`]: { env: `${prefix}_${credential.toUpperCase()}` } }
      : {};
  return {
    name,
    plugin_type,
    ...present({ description }),
    status,
    retry,
    webhook_config: {
      endpoints,
      auth: {
        type: auth?.type,
        ...present({ ca_cert: auth?.ca_cert }),
        ...from("token"),
        ...from("client_cert"),
        ...from("client_key"),
      },
      ...present({ health_check_path }),
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
  const wantedPlugins = manifest.plugins ?? [];
  const existing = wantedPlugins.length === 0 ? [] : await allPlugins(services, principal);
  return wantedPlugins.map((wanted): Step => {
    const known = existing.find(({ name }) => name === wanted.name);
    const lacking = NAMES.filter(
      (name) => isWanted(wanted, name) && (known === undefined || !hasCredential(known, name)),
    );
    const missing = lacking.map((name) => `the ${CREDENTIALS[name].title} of the plugin ${wanted.name}`);
    if (known === undefined) {
      const change = changeOf("plugin", wanted.name, undefined);
      return { change, missing, run: () => plugins.createWithoutHooks(principal, wanted) };
    }
    const fields = [...pluginFields(wanted, known), ...lacking.map((name) => CREDENTIALS[name].field)];
    return {
      change: changeOf("plugin", wanted.name, fields),
      missing,
      check: () => plugins.check(principal, known.id, wanted),
      run: () => plugins.update(principal, known.id, wanted),
    };
  });
}

/** Whether the manifest needs a credential that it does not contain. */
function isWanted({ webhook_config = {} }: ManifestPlugin, name: Name): boolean {
  const { auth = {}, signing_secret, signing_secret_from } = webhook_config;
  if (name === "signing_secret") return signing_secret === undefined && signing_secret_from !== undefined;
  if (auth[name] !== undefined) return false;
  return auth[`${name}_from`] !== undefined || auth.type === (name === "token" ? "bearer" : "mtls");
}

// A given credential always counts as changed: the stored one cannot be compared.
function pluginFields(wanted: ManifestPlugin, known: Plugin): string[] {
  const { name: _name, description, status, retry, webhook_config = {} } = wanted;
  const { endpoints, auth = {}, health_check_path, signing_secret } = webhook_config;
  const { type, ca_cert, token, client_cert, client_key } = auth;
  const given = { token, client_cert, client_key, signing_secret };
  const visible = { endpoints, auth: { type, ca_cert }, health_check_path };
  return [
    ...differing({ description, status, retry, webhook_config: visible }, known),
    ...NAMES.filter((name) => given[name] !== undefined).map((name) => CREDENTIALS[name].field),
  ];
}
