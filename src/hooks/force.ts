// Which webhooks do not decide about calls although they are configured, and why. Records, lists and `doctor` show it: a
// person who sees an address must not believe in a guard that no call asks.
import type { HookRow, PluginRow } from "./repository";
import type { HookPoint, NotInForce } from "./schema";
import { HOOK_POINTS, oneOf, POINTS } from "./terms";
import { webhookOf } from "./stored";

/** The points at which the plugin has an endpoint that decides about no call. `hooks`: at least those of the plugin. */
export function pluginNotInForce(plugin: PluginRow, hooks: readonly HookRow[]): NotInForce[] {
  const { endpoints } = webhookOf(plugin);
  return POINTS.filter((point) => endpoints[point] !== undefined).flatMap((point) => {
    const hook_point: HookPoint = `tool.${point}`;
    const own = hooks.filter((hook) => hook.plugin_id === plugin.id && hook.hook_point === hook_point);
    const reasons = own.map((hook) => hookNotInForce(hook, plugin));
    // One that is asked is enough.
    if (own.length > 0) return reasons.includes(undefined) ? [] : reasons.slice(0, 1).filter(isGiven);
    const message = `No hook calls this endpoint, so it decides about nothing. Create one with POST /v1/hooks, or runtime hooks create NAME --point ${hook_point}`;
    return [{ hook_point, reason: "no_hook", message }];
  });
}

/** Undefined: calls ask the hook. `plugin` undefined: it was deleted in the meantime. */
export function hookNotInForce(
  { hook_point, status, failure_mode }: HookRow,
  plugin: PluginRow | undefined,
): NotInForce | undefined {
  const reason =
    status !== "active"
      ? "hook_inactive"
      : plugin !== undefined && plugin.status !== "active"
        ? "plugin_inactive"
        : plugin?.health_status === "unhealthy" && failure_mode === "fail_open"
          ? "unhealthy"
          : undefined;
  if (reason === undefined) return undefined;
  return { hook_point: oneOf(HOOK_POINTS, hook_point), reason, message: MESSAGES[reason] };
}

const MESSAGES = {
  hook_inactive:
    "The hook is inactive. Activate it with PATCH /v1/hooks/{hook_id}, or runtime hooks update ID --status active",
  plugin_inactive:
    "The plugin is inactive. Activate it with PATCH /v1/plugins/{plugin_id}, or runtime plugins update ID --status active",
  unhealthy:
    "The webhook does not answer, and the hook fails open: calls continue without its decision. Repair the webhook, or set failure_mode to fail_closed.",
};

function isGiven(reason: NotInForce | undefined): reason is NotInForce {
  return reason !== undefined;
}
