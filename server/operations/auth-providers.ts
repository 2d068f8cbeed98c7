// Administration of auth providers.
import { pageOf } from "../../src/base";
import {
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
} from "../../src/providers";
import { operation } from "./operation";

const tag = "Administration";

export const authProviderOperations = [
  operation({
    id: "auth-providers-list",
    method: "GET",
    path: "/v1/admin/auth_providers",
    tag,
    summary: "List the auth providers of the project",
    credential: ["admin", "read"],
    success: { status: 200, schema: pageOf(AuthProviderResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.providers.list(principal),
  }),
  operation({
    id: "auth-providers-create",
    method: "POST",
    path: "/v1/admin/auth_providers",
    tag,
    summary: "Create an auth provider",
    credential: ["admin"],
    body: AuthProviderCreateRequest,
    success: { status: 201, schema: AuthProviderResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.providers.create(principal, body),
  }),
  operation({
    id: "auth-providers-get",
    method: "GET",
    path: "/v1/admin/auth_providers/{id}",
    tag,
    summary: "Get an auth provider",
    credential: ["admin", "read"],
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.get(principal, path("id")),
  }),
  operation({
    id: "auth-providers-update",
    method: "PATCH",
    path: "/v1/admin/auth_providers/{id}",
    tag,
    summary: "Change an auth provider",
    credential: ["admin"],
    body: AuthProviderPatchRequest,
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.providers.update(principal, path("id"), body),
  }),
  operation({
    id: "auth-providers-delete",
    method: "DELETE",
    path: "/v1/admin/auth_providers/{id}",
    tag,
    summary: "Delete an auth provider with its connections",
    credential: ["admin"],
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.delete(principal, path("id")),
  }),
];
