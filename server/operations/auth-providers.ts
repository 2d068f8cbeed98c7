// Administration of auth providers.
import { pageOf } from "../../src/base/schema";
import {
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
} from "../../src/providers/schema";
import { operation } from "./operation";
import { routed } from "./routing";

const tag = "Administration";

export const authProviderOperations = [
  operation({
    ...routed("auth-providers-list"),
    tag,
    summary: "List the auth providers of the project",
    success: { status: 200, schema: pageOf(AuthProviderResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.providers.list(principal),
  }),
  operation({
    ...routed("auth-providers-create"),
    tag,
    summary: "Create an auth provider",
    body: AuthProviderCreateRequest,
    success: { status: 201, schema: AuthProviderResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.providers.create(principal, body),
  }),
  operation({
    ...routed("auth-providers-get"),
    tag,
    summary: "Get an auth provider",
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.get(principal, path("id")),
  }),
  operation({
    ...routed("auth-providers-update"),
    tag,
    summary: "Change an auth provider",
    body: AuthProviderPatchRequest,
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.providers.update(principal, path("id"), body),
  }),
  operation({
    ...routed("auth-providers-delete"),
    tag,
    summary: "Delete an auth provider with its connections",
    success: { status: 200, schema: AuthProviderResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.providers.delete(principal, path("id")),
  }),
];
