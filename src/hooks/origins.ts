// The credentials of a plugin belong to the origins of the endpoints that they were given for. The health check may be on
// another server: it gets them only if that is one of these origins.
import { originsOf, type ReceivingAddress, type SealedField, storedOrigins } from "../origins";
import type { PluginRow } from "./repository";
import type { PatchPlugin } from "./schema";
import { type Credentials, type Webhook, webhookOf } from "./stored";
import { POINTS } from "./terms";

/** The addresses that receive the credentials. */
export function endpointAddresses({ endpoints }: Webhook): ReceivingAddress[] {
  return POINTS.flatMap((point) => {
    const address = endpoints[point]?.url;
    return address === undefined ? [] : [{ field: `webhook_config.endpoints.${point}.url`, address }];
  });
}

export function originsOfWebhook(webhook: Webhook): string[] {
  return originsOf(endpointAddresses(webhook).map(({ address }) => address));
}

/** The origins that the stored credentials were given for. */
export function originsOfPlugin(row: PluginRow): string[] {
  return storedOrigins(row.origins, originsOfWebhook(webhookOf(row)));
}

/** The stored credentials, and whether a request contains them again. */
export function credentialFields(
  sealed: readonly (keyof Credentials)[],
  given: NonNullable<PatchPlugin["webhook_config"]>,
): SealedField[] {
  return sealed.map((name) =>
    name === "signing_secret"
      ? { field: "webhook_config.signing_secret", given: given.signing_secret !== undefined }
      : { field: `webhook_config.auth.${name}`, given: given.auth?.[name] !== undefined },
  );
}
