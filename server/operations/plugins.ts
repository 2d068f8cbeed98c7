// Plugins: where a customer's webhook server is, and how to reach it.
import { pageOf } from "../../src/base";
import {
  CreatePluginRequest,
  CreatePluginResponse,
  PatchPluginRequest,
  PluginResponse,
  PluginsQuery,
  PluginTrialResponse,
} from "../../src/hooks";
import { operation } from "./operation";

const tag = "Hooks";

export const pluginOperations = [
  operation({
    id: "plugins-list",
    method: "GET",
    path: "/v1/plugins",
    tag,
    summary: "List the plugins of the project, or of its organization",
    credential: ["admin", "read"],
    query: PluginsQuery,
    success: { status: 200, schema: pageOf(PluginResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.plugins.list(principal, query),
  }),
  operation({
    id: "plugins-create",
    method: "POST",
    path: "/v1/plugins",
    tag,
    summary: "Create a plugin, and a hook for each of its endpoints",
    credential: ["admin"],
    body: CreatePluginRequest,
    success: { status: 201, schema: CreatePluginResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.plugins.create(principal, body),
  }),
  operation({
    id: "plugins-get",
    method: "GET",
    path: "/v1/plugins/{plugin_id}",
    tag,
    summary: "Get a plugin",
    credential: ["admin", "read"],
    success: { status: 200, schema: PluginResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.plugins.get(principal, path("plugin_id")),
  }),
  operation({
    id: "plugins-update",
    method: "PATCH",
    path: "/v1/plugins/{plugin_id}",
    tag,
    summary: "Change a plugin",
    credential: ["admin"],
    body: PatchPluginRequest,
    success: { status: 200, schema: PluginResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.plugins.update(principal, path("plugin_id"), body),
  }),
  operation({
    id: "plugins-delete",
    method: "DELETE",
    path: "/v1/plugins/{plugin_id}",
    tag,
    summary: "Delete a plugin that no hook uses",
    credential: ["admin"],
    success: { status: 204 },
    errors: [400, 401, 403, 404, 409, 500],
    handle: ({ runtime, principal, path }) => runtime.plugins.delete(principal, path("plugin_id")),
  }),
  operation({
    id: "plugins-test",
    extension: true,
    method: "POST",
    path: "/v1/plugins/{plugin_id}/test",
    tag,
    summary: "Ask each endpoint of a plugin once with a sample, and say what its answer would mean",
    credential: ["admin"],
    success: { status: 200, schema: PluginTrialResponse },
    errors: [400, 401, 403, 404, 500],
    slow: true,
    handle: ({ runtime, principal, path }) => runtime.trials.try(principal, path("plugin_id")),
  }),
];
