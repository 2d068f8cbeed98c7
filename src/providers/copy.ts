// A copy of a provider for another project, to revoke grants after the provider's own project is gone.
import type { Core } from "../core";
import type { Transaction } from "../store";
import type { Provider } from "./effective";
import * as repository from "./repository";
import { ClientSecrets } from "./secrets";

/**
 * Seals the client's secrets for `projectId`. The result adds the copy as a former provider with this `originsId`; undefined
 * if the provider is not stored any more. Throws `Unopenable`.
 */
export async function copyOfProvider(
  { store, keyring, clock }: Core,
  { projectId: from, id, originsId: of, sealedClientSecret, sealedPrivateKey }: Provider,
  { projectId, originsId }: { projectId: string; originsId: string },
): Promise<(() => Transaction<void>) | undefined> {
  const secrets = new ClientSecrets(keyring);
  const present = await repository.findProvider(store, from, id);
  const row = present?.origins_id === of ? present : await repository.findFormerProvider(store, from, id, of);
  if (row === undefined) return undefined;
  const place = { projectId: from, id };
  const secret = await secrets.open(place, "client_secret", sealedClientSecret);
  const privateKey = await secrets.open(place, "private_key", sealedPrivateKey);
  const copy = {
    ...row,
    project_id: projectId,
    origins_id: originsId,
    sealed_client_secret: await secrets.seal(projectId, id, "client_secret", secret),
    sealed_private_key: await secrets.seal(projectId, id, "private_key", privateKey),
  };
  return () => repository.keepFormerProvider(copy, clock.now());
}
