// Administration of stored secrets.
import { pageOf } from "../../src/base/schema";
import { SecretKey, StoredSecretResponse, UpsertStoredSecretRequest } from "../../src/secrets/schema";
import { operation } from "./operation";

const tag = "Administration";

export const secretOperations = [
  operation("GET", "/v1/admin/secrets", {
    id: "secrets-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the stored secrets of the project, without their values",
    success: { status: 200, schema: pageOf(StoredSecretResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.secrets.list(principal),
  }),
  operation("POST", "/v1/admin/secrets/{secret_key}", {
    id: "secrets-upsert",
    alias: "PUT",
    credential: ["admin"],
    tag,
    summary: "Create a secret or replace its value",
    parameters: { secret_key: SecretKey },
    body: UpsertStoredSecretRequest,
    success: { status: 200, schema: StoredSecretResponse },
    errors: [400, 401, 403, 413, 415, 500],
    current: ({ runtime, principal, path }) => runtime.secrets.find(principal, path("secret_key")),
    handle: ({ runtime, principal, path, body }) =>
      runtime.secrets.upsert(principal, path("secret_key"), body),
  }),
  operation("DELETE", "/v1/admin/secrets/{secret_id}", {
    id: "secrets-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a secret by id or key",
    success: { status: 204 },
    errors: [401, 403, 404, 500],
    current: ({ runtime, principal, path }) => runtime.secrets.find(principal, path("secret_id")),
    handle: ({ runtime, principal, path }) => runtime.secrets.delete(principal, path("secret_id")),
  }),
];
