// How long what is stored about users is kept (docs/users.md has the table).
const days = { type: "integer", minimum: 0, maximum: 36_500, description: "days, 0 to 36500" } as const;

export const RETENTION_KEYS = {
  "executions.keep_days": {
    schema: days,
    default: 90,
    meaning: "days to keep the execution log; 0: forever",
  },
  "scheduled.keep_days": {
    schema: days,
    meaning: "days to keep scheduled runs after their end; 0: forever; default: executions.keep_days",
  },
  "consents.keep_days": {
    schema: days,
    default: 7,
    meaning:
      "days to keep consents after they have expired, for late polls; 0: forever, up to the caps of pending consents",
  },
} as const;
