// Which auth providers a worker may name for keys of users.
import { invalidParameter } from "../errors";
import { originsOf } from "../origins";
import { keyAddressesOf, providerInTransaction } from "../providers";
import type { Transaction } from "../store";
import { mayReceiveKeys } from "../tools";
import { userKeyIdsOf } from "./config";
import type { WorkerRow } from "./repository";

/**
 * Throws `invalid_parameter` unless each one exists, is of the type `api_key`, and allows the worker's address. A change that
 * concerns neither is not checked: the provider may have changed since, which then every call says.
 */
export function* requireKeyProviders(row: WorkerRow, before?: WorkerRow): Transaction<void> {
  const known = before?.uri === row.uri ? userKeyIdsOf(before) : [];
  for (const id of userKeyIdsOf(row)) {
    if (known.includes(id)) continue;
    const provider = yield* providerInTransaction(row.project_id, id);
    const named = `The worker names keys of the auth provider "${id}" (\${user.${id}})`;
    if (provider === undefined)
      throw invalidParameter(`${named}, which does not exist in this project. Create it first.`);
    const addresses = keyAddressesOf(provider);
    if (addresses === undefined)
      throw invalidParameter(`${named}, which is not of the type api_key. Name another one.`);
    if (!mayReceiveKeys({ origins: originsOf(addresses) }, [row.uri]))
      throw invalidParameter(
        `${named}, whose keys must not be sent to the worker's address. Add the address to its api_key.addresses.`,
      );
  }
}
