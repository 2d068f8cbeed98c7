// Stored secrets, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { StoredSecret, UpsertStoredSecret } from "../../src/secrets";
import { unknownName } from "../unknown-name";
import { type Client, operation } from "./client";
import { path } from "./http";

const SECRETS = "/v1/admin/secrets";

export const listSecrets = operation<[], Page<StoredSecret>>({
  direct: ({ runtime, principal }) => runtime.secrets.list(principal),
  remote: (server) => server.get(SECRETS),
});

/** By its id, or by its key in any case. Throws `not_found`. */
export async function findSecret(client: Client, idOrKey: string): Promise<StoredSecret> {
  const { items } = await listSecrets(client);
  const found = items.find(({ id, key }) => id === idOrKey || key.toLowerCase() === idOrKey.toLowerCase());
  if (found !== undefined) return found;
  const known = items.map(({ key }) => key);
  throw unknownName("secret", idOrKey, known, "runtime secrets list");
}

/** Checks a key before the user enters a value. Throws the same error as the server. */
export async function checkSecretKey(key: string): Promise<void> {
  const { fieldErrors } = await import("../../src/base");
  const { SecretKey } = await import("../../src/secrets/schema");
  const { invalidParameter } = await import("../../src/errors");
  const [error] = fieldErrors(SecretKey, key);
  if (error !== undefined) throw invalidParameter(`secret_key ${error.message}.`);
}

export const setSecret = operation<[key: string, request: UpsertStoredSecret], StoredSecret>({
  direct: async ({ runtime, principal, checked }, key, request) => {
    const { UpsertStoredSecretRequest } = await import("../../src/secrets/schema");
    await checkSecretKey(key);
    return runtime.secrets.upsert(principal, key, checked(UpsertStoredSecretRequest, request));
  },
  remote: (server, key, request) => server.send("POST", path(`${SECRETS}/`, key), request),
});

export const deleteSecret = operation<[idOrKey: string], void>({
  direct: ({ runtime, principal }, idOrKey) => runtime.secrets.delete(principal, idOrKey),
  remote: (server, idOrKey) => server.send("DELETE", path(`${SECRETS}/`, idOrKey)),
});
