// The health of the service: whether its database responds and its root key opens stored values.
import type { Core } from "./core";

export interface Health {
  healthy: boolean;
  reason?: string;
}

export async function healthOf({ store, keyring, log }: Core): Promise<Health> {
  const failure = async (reason: string, check: () => Promise<unknown>): Promise<Health | undefined> => {
    try {
      await check();
      return undefined;
    } catch (error) {
      log.warn("unhealthy", { error });
      return { healthy: false, reason: `${reason} The log has the reason.` };
    }
  };
  return (
    (await failure("The database cannot be used.", async () => {
      await store.generation("projects");
      await store.check();
    })) ??
    (await failure("The root key cannot be used, so stored tokens and secrets cannot be decrypted.", () =>
      keyring.check(),
    )) ?? { healthy: true }
  );
}
