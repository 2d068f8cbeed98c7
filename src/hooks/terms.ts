// The words of hooks and plugins, and what counts where a record does not say.

export const HOOK_POINTS = ["tool.access", "tool.pre", "tool.post"] as const;
export const POINTS = ["access", "pre", "post"] as const;
export const PHASES = ["before", "after"] as const;
export const FAILURE_MODES = ["fail_closed", "fail_open"] as const;
export const STATUSES = ["active", "inactive"] as const;
export const BINDING_TYPES = ["tenant", "project"] as const;
export const HEALTH = ["unknown", "healthy", "degraded", "unhealthy"] as const;
export const RETRY_ON = ["5xx", "timeout", "connection_error"] as const;

/** Milliseconds of a hook whose own time and whose endpoint's is not set. */
export const DEFAULT_TIMEOUT_MS = 5000;
/** Milliseconds that an access answer is kept where the endpoint caches and does not say how long. */
export const DEFAULT_CACHE_TTL_MS = 60_000;
