// Plugins of the project in a manifest. The export contains which credentials are set, never their values.
import { present } from "../base";
import type { Plugin } from "../hooks";
import type { Principal } from "../identity";
import type { ExportedManifest, Manifest, ManifestPlugin } from "./schema";
import {
  byName,
  changeOf,
  type Difference,
  differing,
  distinctNames,
  type Draft,
  everything,
  pruned,
  secretFields,
  type Services,
  type Step,
} from "./step";

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
  draft: Draft,
): Promise<Step[]> {
  if (manifest.plugins === undefined) return [];
  const existing = await allPlugins(services, principal);
  const steps = manifest.plugins.map((wanted, index) =>
    planPlugin(services, principal, { wanted, index, draft, known: named(existing, wanted.name) }),
  );
  const names = new Set(manifest.plugins.map(({ name }) => name));
  const unwanted = draft.prune ? existing.filter(({ name }) => !names.has(name)) : [];
  return [
    ...unwanted.map(({ id, name }) => pruned("plugin", name, () => services.plugins.deletion(principal, id))),
    ...(await Promise.all(steps)),
  ];
}

function named(plugins: readonly Plugin[], wanted: string): Plugin | undefined {
  return plugins.find(({ name }) => name === wanted);
}

interface PluginPlan {
  wanted: ManifestPlugin;
  index: number;
  draft: Draft;
  known: Plugin | undefined;
}

async function planPlugin(
  { plugins }: Services,
  principal: Principal,
  { wanted, index, draft, known }: PluginPlan,
): Promise<Step> {
  const { name } = wanted;
  const lacking = NAMES.filter(
    (each) => isWanted(wanted, each) && (known === undefined || !hasCredential(known, each)),
  );
  const missing = lacking.map((each) => `the ${CREDENTIALS[each].title} of the plugin ${name}`);
  const field = `plugins.${index}`;
  if (known === undefined) {
    const prepare = async () => {
      const { id, change } = await plugins.creation(principal, wanted);
      draft.pluginIds.set(name, id);
      return change;
    };
    return { change: changeOf("plugin", name), field, missing, prepare };
  }
  const given = credentialsOf(wanted);
  const same = await plugins.sameCredentials(principal, known.id, given);
  const renewed = NAMES.filter((each) => given[each] !== undefined && !same.includes(each));
  const secret = [...renewed, ...lacking].map((each) => CREDENTIALS[each].field);
  return {
    change: changeOf("plugin", name, [...pluginFields(wanted, known), ...secretFields(secret)]),
    field,
    missing,
    prepare: () => plugins.change(principal, known.id, wanted),
  };
}

function credentialsOf({ webhook_config = {} }: ManifestPlugin) {
  const { token, client_cert, client_key } = webhook_config.auth ?? {};
  return present({ token, client_cert, client_key, signing_secret: webhook_config.signing_secret });
}

/** Whether the manifest needs a credential that it does not contain. */
function isWanted({ webhook_config = {} }: ManifestPlugin, name: Name): boolean {
  const { auth = {}, signing_secret, signing_secret_from } = webhook_config;
  if (name === "signing_secret") return signing_secret === undefined && signing_secret_from !== undefined;
  if (auth[name] !== undefined) return false;
  return auth[`${name}_from`] !== undefined || auth.type === (name === "token" ? "bearer" : "mtls");
}

function pluginFields(wanted: ManifestPlugin, known: Plugin): Difference[] {
  const { name: _name, description, status, retry, webhook_config = {} } = wanted;
  const { endpoints, auth = {}, health_check_path } = webhook_config;
  const { type, ca_cert } = auth;
  const visible = { endpoints, auth: { type, ca_cert }, health_check_path };
  return differing({ description, status, retry, webhook_config: visible }, known);
}
