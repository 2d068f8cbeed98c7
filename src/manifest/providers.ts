// Auth providers in a manifest.
import type { Principal } from "../identity";
import type { AuthProvider, AuthProviderCreate } from "../providers";
import type { Manifest, ManifestProvider } from "./schema";
import { changeOf, differing, type Draft, pruned, secretFields, type Services, type Step } from "./step";

export async function planProviders(
  services: Services,
  principal: Principal,
  manifest: Manifest,
  { prune }: Draft,
): Promise<Step[]> {
  if (manifest.providers === undefined) return [];
  const { providers } = services;
  // Those of workers come and go with them.
  const items = (await providers.list(principal)).items.filter(({ oauth2 }) => oauth2?.worker === undefined);
  const steps = manifest.providers.map((given, index) =>
    planProvider(
      services,
      principal,
      given,
      items.find(({ id }) => id === given.id),
      `providers.${index}`,
    ),
  );
  const ids = new Set(manifest.providers.map(({ id }) => id));
  const unwanted = prune ? items.filter(({ id }) => !ids.has(id)) : [];
  return [
    ...unwanted.map(({ id }) => pruned("provider", id, () => providers.deletion(principal, id))),
    ...(await Promise.all(steps)),
  ];
}

async function planProvider(
  { providers }: Services,
  principal: Principal,
  given: ManifestProvider,
  known: AuthProvider | undefined,
  field: string,
): Promise<Step> {
  const { oauth2: block, ...record } = given;
  const { client_secret_from: _secret, private_key_from: _key, ...oauth2 } = block ?? NO_OAUTH2;
  // The manifest was checked against its schema.
  const wanted = (block === undefined ? record : { ...record, oauth2 }) as AuthProviderCreate;
  const { id } = wanted;
  const missing = missingSecrets(given, known);
  if (known === undefined) {
    const prepare = () => providers.creation(principal, wanted);
    return { change: changeOf("provider", id), field, missing, prepare };
  }
  const { external_id: _fixed, ...patch } = wanted;
  const { client_secret, private_key, ...visible } = oauth2;
  const secrets = { client_secret, private_key };
  const same = await providers.sameSecrets(principal, id, secrets);
  const renewed = (["client_secret", "private_key"] as const).filter(
    (name) => secrets[name] !== undefined && !same.includes(name),
  );
  const differences = [
    ...differing(block === undefined ? patch : { ...patch, oauth2: visible }, known),
    ...secretFields(renewed.map((name) => `oauth2.${name}`)),
  ];
  return {
    change: changeOf("provider", id, differences),
    field,
    missing,
    prepare: () => providers.change(principal, id, patch),
  };
}

/** Of a provider of another type. */
const NO_OAUTH2: Partial<NonNullable<ManifestProvider["oauth2"]>> = {};

/** What the manifest takes from a source that had no value, and is not stored yet. */
function missingSecrets({ id, oauth2: block }: ManifestProvider, known: AuthProvider | undefined): string[] {
  const oauth2 = block ?? NO_OAUTH2;
  const isMissing = (source: unknown, value: unknown, stored: { exists: boolean } | undefined): boolean =>
    source !== undefined && value === undefined && stored?.exists !== true;
  return [
    ...(isMissing(oauth2.client_secret_from, oauth2.client_secret, known?.oauth2?.client_secret)
      ? [`the client secret of the provider ${id}`]
      : []),
    ...(isMissing(oauth2.private_key_from, oauth2.private_key, known?.oauth2?.private_key)
      ? [`the private key of the provider ${id}`]
      : []),
  ];
}
