// Administration of API keys and of the project's data key. Not part of the published contract.
import { Type } from "typebox";
import { pageOf } from "../../src/base/schema";
import {
  ApiKeyCreateRequest,
  ApiKeyResponse,
  ApiKeyRotationRequest,
  RotatedApiKeyResponse,
} from "../../src/identity/schema";
import { operation } from "./operation";

const tag = "Administration";

const Rotated = Type.Object({
  id: Type.String(),
  resealed: Type.Integer({ description: "Values that were encrypted with the new key" }),
  unopenable: Type.Optional(
    Type.Integer({
      description: "Values that could not be decrypted and were not changed; the log names them",
    }),
  ),
  remaining: Type.Optional(
    Type.Integer({
      description: "Values that changed all the time and may still be sealed with an older key",
    }),
  ),
});

export const keyOperations = [
  operation("GET", "/v1/admin/keys", {
    id: "keys-list",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "List the API keys of the project",
    success: { status: 200, schema: pageOf(ApiKeyResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.listKeys(principal),
  }),
  operation("POST", "/v1/admin/keys", {
    id: "keys-create",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Create an API key; only this answer contains it",
    body: ApiKeyCreateRequest,
    success: { status: 201, schema: ApiKeyResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.identity.createKey(principal, body),
  }),
  operation("GET", "/v1/admin/keys/{id}", {
    id: "keys-get",
    etag: "record",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Get an API key, without the key itself",
    success: { status: 200, schema: ApiKeyResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.getKey(principal, path("id")),
  }),
  operation("DELETE", "/v1/admin/keys/{id}", {
    id: "keys-delete",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Revoke an API key",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.deleteKey(principal, path("id")),
  }),
  operation("POST", "/v1/admin/keys/{id}/rotate", {
    id: "keys-rotate",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Replace an API key by a new one; the old key works until the overlap is over",
    body: ApiKeyRotationRequest,
    success: { status: 201, schema: RotatedApiKeyResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.identity.apiKeys.rotate(principal, path("id"), body),
  }),
  operation("POST", "/v1/admin/data_key/rotate", {
    id: "data-key-rotate",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Create a new data key for the project and encrypt all stored values with it",
    success: { status: 200, schema: Rotated },
    errors: [401, 403, 500],
    slow: true,
    handle: ({ runtime, principal }) => runtime.rotation.rotateDataKey(principal),
  }),
];
