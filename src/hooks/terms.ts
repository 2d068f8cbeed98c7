// Enumerations and defaults of hooks and plugins.

export const HOOK_POINTS = ["tool.access", "tool.pre", "tool.post"] as const;
export const POINTS = ["access", "pre", "post"] as const;
export const PHASES = ["before", "after"] as const;
export const FAILURE_MODES = ["fail_closed", "fail_open"] as const;
export const STATUSES = ["active", "inactive"] as const;
export const BINDING_TYPES = ["tenant", "project"] as const;
export const HEALTH = ["unknown", "healthy", "degraded", "unhealthy"] as const;
/** Why a configured webhook decides about no call. */
export const NOT_IN_FORCE = ["no_hook", "hook_inactive", "plugin_inactive", "unhealthy"] as const;
export const RETRY_ON = ["5xx", "timeout", "connection_error"] as const;

/** The timeout if neither the hook nor its endpoint sets one. */
export const DEFAULT_TIMEOUT_MS = 5000;
/** How long access answers are cached if the endpoint does not set a time. */
export const DEFAULT_CACHE_TTL_MS = 60_000;

/** The value, or the first (the strictest) if a newer version has stored one that this version does not know. */
export function oneOf<T extends string>(values: readonly [T, ...T[]], text: string): T {
  return values.find((value) => value === text) ?? values[0];
}
