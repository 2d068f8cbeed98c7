// Administration of stored secrets.
import { pageOf } from "../../src/base";
import { SecretKey, StoredSecretResponse, UpsertStoredSecretRequest } from "../../src/secrets";
import { operation } from "./operation";

const tag = "Administration";

export const secretOperations = [
  operation({
    id: "secrets-list",
    method: "GET",
    path: "/v1/admin/secrets",
    tag,
    summary: "List the stored secrets of the project, without their values",
    credential: ["admin", "read"],
    success: { status: 200, schema: pageOf(StoredSecretResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.secrets.list(principal),
  }),
  operation({
    id: "secrets-upsert",
    method: "POST",
    alias: "PUT",
    path: "/v1/admin/secrets/{secret_key}",
    tag,
    summary: "Create a secret or replace its value",
    credential: ["admin"],
    parameters: { secret_key: SecretKey },
    body: UpsertStoredSecretRequest,
    success: { status: 200, schema: StoredSecretResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.secrets.upsert(principal, path("secret_key"), body),
  }),
  operation({
    id: "secrets-delete",
    method: "DELETE",
    path: "/v1/admin/secrets/{secret_id}",
    tag,
    summary: "Delete a secret by id or key",
    credential: ["admin"],
    success: { status: 204 },
    errors: [401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.secrets.delete(principal, path("secret_id")),
  }),
];
