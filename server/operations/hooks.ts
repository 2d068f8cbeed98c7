// Hooks: a customer's webhook at a point of every tool call.
import { pageOf } from "../../src/base/schema";
import {
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  CreateHookRequest,
  HookQuery,
  HookResponse,
  HooksQuery,
  PatchHookRequest,
} from "../../src/hooks/schema";
import { operation } from "./operation";

const tag = "Hooks";

export const hookOperations = [
  operation("GET", "/v1/hooks", {
    id: "hooks-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the hooks of the project and of its organization",
    query: HooksQuery,
    success: { status: 200, schema: pageOf(HookResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.hooks.list(principal, query),
  }),
  operation("POST", "/v1/hooks", {
    id: "hooks-create",
    credential: ["admin"],
    tag,
    summary: "Create a hook",
    body: CreateHookRequest,
    success: { status: 201, schema: HookResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.hooks.create(principal, body),
  }),
  operation("PATCH", "/v1/hooks/bulk", {
    id: "hooks-bulk-upsert",
    credential: ["admin"],
    tag,
    summary: "Create or update many hooks, all or none",
    body: BulkUpsertHooksRequest,
    success: { status: 200, schema: BulkUpsertHooksResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.hooks.bulk(principal, body),
  }),
  operation("GET", "/v1/hooks/{hook_id}", {
    id: "hooks-get",
    etag: "record",
    credential: ["admin", "read"],
    tag,
    summary: "Get a hook of the project, or of its organization",
    query: HookQuery,
    success: { status: 200, schema: HookResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path, query }) =>
      runtime.hooks.get(principal, path("hook_id"), query.binding_type ?? "project"),
  }),
  operation("PATCH", "/v1/hooks/{hook_id}", {
    id: "hooks-update",
    credential: ["admin"],
    tag,
    summary: "Change a hook",
    body: PatchHookRequest,
    success: { status: 200, schema: HookResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.hooks.update(principal, path("hook_id"), body),
  }),
  operation("DELETE", "/v1/hooks/{hook_id}", {
    id: "hooks-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a hook",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.hooks.delete(principal, path("hook_id")),
  }),
];
