// Stored secrets in a manifest.
import type { Principal } from "../identity";
import type { Manifest } from "./schema";
import { changeOf, differing, type Draft, pruned, secretFields, type Services, type Step } from "./step";

export async function planSecrets(
  { secrets }: Services,
  principal: Principal,
  manifest: Manifest,
  { prune }: Draft,
): Promise<Step[]> {
  if (manifest.secrets === undefined) return [];
  const { items } = await secrets.list(principal);
  const steps = manifest.secrets.map(async ({ key, value, description }, index): Promise<Step> => {
    const known = items.find((each) => fold(each.key) === fold(key));
    const isNew = value !== undefined && !(await secrets.hasValue(principal, key, value));
    const differences = [...differing({ description }, known ?? {}), ...secretFields(isNew ? ["value"] : [])];
    const change = changeOf("secret", key, known === undefined ? undefined : differences);
    const isMissing = value === undefined && change.action !== "unchanged";
    return {
      change,
      field: `secrets.${index}`,
      missing: isMissing ? [`the value of the secret ${key}`] : [],
      prepare: () =>
        secrets.upsertion(principal, key, {
          value: value ?? "",
          ...(description === undefined ? {} : { description }),
        }),
    };
  });
  const keys = new Set(manifest.secrets.map(({ key }) => fold(key)));
  const unwanted = prune ? items.filter(({ key }) => !keys.has(fold(key))) : [];
  return [
    ...unwanted.map(({ id, key }) => pruned("secret", key, () => secrets.deletion(principal, id))),
    ...(await Promise.all(steps)),
  ];
}

// Keys of secrets are case-insensitive.
function fold(key: string): string {
  return key.toLowerCase();
}
