// Stored secrets, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { StoredSecret, UpsertStoredSecret } from "../../src/secrets";
import { capability } from "./client";
import { path } from "./http";

const SECRETS = "/v1/admin/secrets";

export const listSecrets = capability<[], Page<StoredSecret>>({
  direct: ({ runtime, principal }) => runtime.secrets.list(principal),
  remote: (server) => server.get(SECRETS),
});

/** Before anybody types a value for it. Throws what the server answers for such a key. */
export async function checkSecretKey(key: string): Promise<void> {
  const { fieldErrors } = await import("../../src/base");
  const { SecretKey } = await import("../../src/secrets/schema");
  const { invalidParameter } = await import("../../src/errors");
  const [error] = fieldErrors(SecretKey, key);
  if (error !== undefined) throw invalidParameter(`secret_key ${error.message}.`);
}

export const setSecret = capability<[key: string, request: UpsertStoredSecret], StoredSecret>({
  direct: async ({ runtime, principal, checked }, key, request) => {
    const { UpsertStoredSecretRequest } = await import("../../src/secrets/schema");
    await checkSecretKey(key);
    return runtime.secrets.upsert(principal, key, checked(UpsertStoredSecretRequest, request));
  },
  remote: (server, key, request) => server.send("POST", path(`${SECRETS}/`, key), request),
});

export const deleteSecret = capability<[idOrKey: string], void>({
  direct: ({ runtime, principal }, idOrKey) => runtime.secrets.delete(principal, idOrKey),
  remote: (server, idOrKey) => server.send("DELETE", path(`${SECRETS}/`, idOrKey)),
});
