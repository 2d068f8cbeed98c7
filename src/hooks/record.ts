// Converts rows into records.
import { present, timestamp } from "../base";
import { hookNotInForce, pluginNotInForce } from "./force";
import type { Binding, HookRow, PluginRow } from "./repository";
import type { Hook, HookPoint, Plugin, Point } from "./schema";
import {
  DEFAULT_CACHE_TTL_MS,
  DEFAULT_TIMEOUT_MS,
  FAILURE_MODES,
  HEALTH,
  HOOK_POINTS,
  oneOf,
  PHASES,
  STATUSES,
} from "./terms";
import { type Endpoint, retryOf, type Webhook, webhookOf } from "./stored";

export function pluginRecord(row: PluginRow): Plugin {
  return {
    id: row.id,
    name: row.name,
    plugin_type: "webhook",
    status: oneOf(STATUSES, row.status),
    ...present({ description: row.description ?? undefined }),
    binding: bindingOf(row),
    retry: retryOf(row),
    webhook_config: webhookRecord(row, webhookOf(row)),
    health_status: oneOf(HEALTH, row.health_status),
    version: row.version,
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

function webhookRecord(row: PluginRow, webhook: Webhook): NonNullable<Plugin["webhook_config"]> {
  const { endpoints, auth, health_check_path, sealed } = webhook;
  const secret = { binding: bindingOf(row).type, editable: true, exists: true };
  return {
    endpoints,
    auth: {
      type: auth.type,
      ...(sealed.includes("token") ? { token: secret } : {}),
      ...present({ ca_cert: auth.ca_cert }),
      client_cert_configured: sealed.includes("client_cert"),
      client_key_configured: sealed.includes("client_key"),
    },
    ...present({ health_check_path }),
    ...(sealed.includes("signing_secret") ? { signing_secret: secret } : {}),
  };
}

/** A plugin as callers get it, with what is not in force. `hooks`: at least those of the plugin. */
export function shownPlugin(row: PluginRow, hooks: readonly HookRow[]): Plugin {
  const notInForce = pluginNotInForce(row, hooks);
  return { ...pluginRecord(row), ...(notInForce.length === 0 ? {} : { not_in_force: notInForce }) };
}

/** `plugin` undefined: it was deleted in the meantime. */
export function hookRecord(row: HookRow, plugin: PluginRow | undefined): Hook {
  const point = oneOf(HOOK_POINTS, row.hook_point);
  const endpoint = plugin === undefined ? undefined : webhookOf(plugin).endpoints[endpointName(point)];
  return {
    id: row.id,
    name: row.name,
    plugin_id: row.plugin_id,
    hook_point: point,
    phase: oneOf(PHASES, row.phase),
    failure_mode: oneOf(FAILURE_MODES, row.failure_mode),
    priority: row.priority,
    status: oneOf(STATUSES, row.status),
    timeout_ms: timeoutOf(row, endpoint),
    ...cachingOf(endpoint),
    binding: bindingOf(row),
    ...present({ not_in_force: hookNotInForce(row, plugin) }),
    version: row.version,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

/** A hook as the audit trail shows it. */
export function auditedHook(row: HookRow): object {
  const { name, plugin_id, hook_point, phase, failure_mode, priority, status, timeout_ms } = row;
  return { name, plugin_id, hook_point, phase, failure_mode, priority, status, timeout_ms };
}

function cachingOf({ cache_enabled, cache_ttl_ms }: Partial<Endpoint> = {}): Partial<Hook> {
  const ttl = cache_ttl_ms ?? (cache_enabled === true ? DEFAULT_CACHE_TTL_MS : undefined);
  return present({ cache_enabled, cache_ttl_ms: ttl });
}

/** The timeout of the hook, or else of the endpoint, or else 5 s. */
export function timeoutOf({ timeout_ms }: HookRow, endpoint: Endpoint | undefined): number {
  return timeout_ms ?? endpoint?.timeout_ms ?? DEFAULT_TIMEOUT_MS;
}

/** `tool.pre` → `pre` */
export function endpointName(point: HookPoint): Point {
  if (point === "tool.access") return "access";
  return point === "tool.pre" ? "pre" : "post";
}

export function bindingOf({ binding_type, binding_id }: PluginRow | HookRow): Binding {
  return { id: binding_id, type: binding_type === "tenant" ? "tenant" : "project" };
}
