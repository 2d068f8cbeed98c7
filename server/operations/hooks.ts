// Hooks: a customer's webhook at a point of every tool call.
import { pageOf } from "../../src/base";
import {
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  CreateHookRequest,
  HookQuery,
  HookResponse,
  HooksQuery,
  PatchHookRequest,
} from "../../src/hooks";
import { operation } from "./operation";

const tag = "Hooks";

export const hookOperations = [
  operation({
    id: "hooks-list",
    method: "GET",
    path: "/v1/hooks",
    tag,
    summary: "List the hooks of the project",
    credential: ["admin", "read"],
    query: HooksQuery,
    success: { status: 200, schema: pageOf(HookResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.hooks.list(principal, query),
  }),
  operation({
    id: "hooks-create",
    method: "POST",
    path: "/v1/hooks",
    tag,
    summary: "Create a hook",
    credential: ["admin"],
    body: CreateHookRequest,
    success: { status: 201, schema: HookResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.hooks.create(principal, body),
  }),
  operation({
    id: "hooks-bulk-upsert",
    method: "PATCH",
    path: "/v1/hooks/bulk",
    tag,
    summary: "Create or update many hooks, all or none",
    credential: ["admin"],
    body: BulkUpsertHooksRequest,
    success: { status: 200, schema: BulkUpsertHooksResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.hooks.bulk(principal, body),
  }),
  operation({
    id: "hooks-get",
    method: "GET",
    path: "/v1/hooks/{hook_id}",
    tag,
    summary: "Get a hook of the project, or of its organization",
    credential: ["admin", "read"],
    query: HookQuery,
    success: { status: 200, schema: HookResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path, query }) =>
      runtime.hooks.get(principal, path("hook_id"), query.binding_type),
  }),
  operation({
    id: "hooks-update",
    method: "PATCH",
    path: "/v1/hooks/{hook_id}",
    tag,
    summary: "Change a hook",
    credential: ["admin"],
    body: PatchHookRequest,
    success: { status: 200, schema: HookResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.hooks.update(principal, path("hook_id"), body),
  }),
  operation({
    id: "hooks-delete",
    method: "DELETE",
    path: "/v1/hooks/{hook_id}",
    tag,
    summary: "Delete a hook",
    credential: ["admin"],
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.hooks.delete(principal, path("hook_id")),
  }),
];
