// Plugins: the records of customers' webhooks.
import { pageOf } from "../../src/base/schema";
import { PluginTrialResponse } from "../../src/hooks";
import {
  CreatePluginRequest,
  CreatePluginResponse,
  PatchPluginRequest,
  PluginResponse,
  PluginsQuery,
} from "../../src/hooks/schema";
import { operation } from "./operation";

const tag = "Hooks";

export const pluginOperations = [
  operation("GET", "/v1/plugins", {
    id: "plugins-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the plugins of the project, or of its organization",
    query: PluginsQuery,
    success: { status: 200, schema: pageOf(PluginResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.plugins.list(principal, query),
  }),
  operation("POST", "/v1/plugins", {
    id: "plugins-create",
    credential: ["admin"],
    tag,
    summary: "Create a plugin, and a hook for each of its endpoints",
    body: CreatePluginRequest,
    success: { status: 201, schema: CreatePluginResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.plugins.create(principal, body),
  }),
  operation("GET", "/v1/plugins/{plugin_id}", {
    id: "plugins-get",
    etag: "record",
    credential: ["admin", "read"],
    tag,
    summary: "Get a plugin",
    success: { status: 200, schema: PluginResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.plugins.get(principal, path("plugin_id")),
  }),
  operation("PATCH", "/v1/plugins/{plugin_id}", {
    id: "plugins-update",
    credential: ["admin"],
    tag,
    summary: "Change a plugin",
    body: PatchPluginRequest,
    success: { status: 200, schema: PluginResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.plugins.update(principal, path("plugin_id"), body),
  }),
  operation("DELETE", "/v1/plugins/{plugin_id}", {
    id: "plugins-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a plugin that no hook uses",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 409, 500],
    handle: ({ runtime, principal, path }) => runtime.plugins.delete(principal, path("plugin_id")),
  }),
  operation("POST", "/v1/plugins/{plugin_id}/test", {
    id: "plugins-test",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Send a sample to each endpoint of a plugin, and explain the answers",
    success: { status: 200, schema: PluginTrialResponse },
    errors: [400, 401, 403, 404, 500],
    slow: true,
    handle: ({ runtime, principal, path }) => runtime.trials.try(principal, path("plugin_id")),
  }),
];
