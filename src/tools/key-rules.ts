// Where users' own keys may go. A key is for the addresses of its auth provider, and for nothing else.
import { originOf } from "../origins";
import type { Chosen, Provider } from "../providers";
import type { Catalog } from "./definition";

/** The choice without a provider whose keys must not be sent where the tool runs. */
export function withKeyRules(
  chosen: Chosen,
  { foreign, catalog }: { foreign: boolean; catalog: Catalog },
): Chosen {
  const { provider } = chosen;
  if (provider?.apiKey === undefined) return chosen;
  if (!foreign) {
    const reason = `the auth provider "${provider.id}" takes users' own keys, which this tool cannot use`;
    return { provider: undefined, reason, unknown: false };
  }
  if (
    mayReceiveKeys(
      provider,
      Object.values(catalog.bases).map(({ url = "" }) => url),
    )
  )
    return chosen;
  const reason =
    `keys of the auth provider "${provider.id}" must not be sent to the worker "${catalog.worker?.id ?? ""}": ` +
    "its address is not among api_key.addresses";
  return { provider: undefined, reason, unknown: false };
}

/** Whether all addresses are among those that keys may be sent to. Programs over stdio are the operator's own. */
export function mayReceiveKeys(
  { origins }: Pick<Provider, "origins">,
  addresses: readonly string[],
): boolean {
  return addresses.every(
    (address) => address.startsWith("stdio:") || origins.includes(originOf(address) ?? ""),
  );
}
