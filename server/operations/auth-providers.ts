// Administration of auth providers.
import { pageOf } from "../../src/base/schema";
import {
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
} from "../../src/providers/schema";
import { operation } from "./operation";

const tag = "Administration";

export const authProviderOperations = [
  operation("GET", "/v1/admin/auth_providers", {
    id: "auth-providers-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the auth providers of the project",
    success: { status: 200, schema: pageOf(AuthProviderResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.providers.list(principal),
  }),
  operation("POST", "/v1/admin/auth_providers", {
    id: "auth-providers-create",
    credential: ["admin"],
    tag,
    summary: "Create an auth provider",
    body: AuthProviderCreateRequest,
    success: { status: 201, schema: AuthProviderResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.providers.create(principal, body),
  }),
  operation("GET", "/v1/admin/auth_providers/{id}", {
    id: "auth-providers-get",
    etag: "record",
    credential: ["admin", "read"],
    tag,
    summary: "Get an auth provider",
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.get(principal, path("id")),
  }),
  operation("PATCH", "/v1/admin/auth_providers/{id}", {
    id: "auth-providers-update",
    credential: ["admin"],
    tag,
    summary: "Change an auth provider",
    body: AuthProviderPatchRequest,
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.providers.update(principal, path("id"), body),
  }),
  operation("DELETE", "/v1/admin/auth_providers/{id}", {
    id: "auth-providers-delete",
    credential: ["admin"],
    tag,
    summary: "Delete an auth provider with its connections",
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.delete(principal, path("id")),
  }),
];
