// Administration of API keys and of the project's data key. Served for the terminal, not part of the published contract.
import { Type } from "typebox";
import { pageOf } from "../../src/base";
import { ApiKeyCreateRequest, ApiKeyResponse } from "../../src/identity";
import { operation } from "./operation";

const tag = "Administration";

export const keyOperations = [
  operation({
    id: "keys-list",
    extension: true,
    method: "GET",
    path: "/v1/admin/keys",
    tag,
    summary: "List the API keys of the project",
    credential: ["admin"],
    success: { status: 200, schema: pageOf(ApiKeyResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.listKeys(principal),
  }),
  operation({
    id: "keys-create",
    extension: true,
    method: "POST",
    path: "/v1/admin/keys",
    tag,
    summary: "Make an API key; only this answer holds it",
    credential: ["admin"],
    body: ApiKeyCreateRequest,
    success: { status: 201, schema: ApiKeyResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.identity.createKey(principal, body),
  }),
  operation({
    id: "keys-get",
    extension: true,
    method: "GET",
    path: "/v1/admin/keys/{id}",
    tag,
    summary: "Get an API key, without the key itself",
    credential: ["admin"],
    success: { status: 200, schema: ApiKeyResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.getKey(principal, path("id")),
  }),
  operation({
    id: "keys-delete",
    extension: true,
    method: "DELETE",
    path: "/v1/admin/keys/{id}",
    tag,
    summary: "Revoke an API key",
    credential: ["admin"],
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.deleteKey(principal, path("id")),
  }),
  operation({
    id: "data-key-rotate",
    extension: true,
    method: "POST",
    path: "/v1/admin/data_key/rotate",
    tag,
    summary: "Make a new data key for the project and seal everything anew",
    credential: ["admin"],
    success: { status: 200, schema: Type.Object({ id: Type.String(), resealed: Type.Integer() }) },
    errors: [401, 403, 500],
    slow: true,
    handle: ({ runtime, principal }) => runtime.rotation.rotateDataKey(principal),
  }),
];
