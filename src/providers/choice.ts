// The provider for a requirement: a record by its id, or the oldest active one for a well-known provider.
import type { Provider } from "./effective";

export interface ProviderChoice {
  /** Id of a record. */
  id?: string | undefined;
  /** A well-known provider, or the id of a record. */
  provider_id?: string | undefined;
}

export type Chosen =
  | { provider: Provider; note?: string; inactive?: undefined }
  | {
      provider: undefined;
      reason: string;
      /** No record has this id. */
      unknown: boolean;
      /** The provider that would be used if it were active. */
      inactive?: Provider;
    };

function serves({ providerId, variantOf }: Provider, name: string): boolean {
  return providerId === name || variantOf === name;
}

/** The provider, or the reason why there is none. `providers`: those of one project, oldest first. */
export function chooseProvider(providers: readonly Provider[], choice: ProviderChoice): Chosen {
  const name = choice.id ?? choice.provider_id ?? "";
  const exact = providers.filter(({ id }) => id === name);
  const wellKnown = choice.id === undefined ? providers.filter((provider) => serves(provider, name)) : [];
  const candidates = [...exact, ...wellKnown.filter((provider) => !exact.includes(provider))];
  const [provider, ...others] = candidates.filter(({ active }) => active);
  if (provider !== undefined) {
    const note = `several providers serve "${name}"; the oldest active one, "${provider.id}", is used`;
    return others.length === 0 || exact.includes(provider) ? { provider } : { provider, note };
  }
  const [inactive] = candidates;
  if (inactive !== undefined) {
    const reason = `the auth provider "${name}" is inactive`;
    return { provider: undefined, reason, unknown: false, inactive };
  }
  return {
    provider: undefined,
    reason: `no auth provider "${name}" is configured in this project`,
    unknown: true,
  };
}
