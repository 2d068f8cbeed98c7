// The settings of a server that stops.

export const SHUTDOWN_KEYS = {
  "shutdown.delay": {
    schema: { type: "integer", minimum: 0, maximum: 300, description: "seconds, 0 to 300" },
    default: 0,
    meaning:
      "seconds in which a stopping server still takes requests although /readyz says no, until load balancers have noticed",
  },
  "shutdown.timeout": {
    schema: { type: "integer", minimum: 0, maximum: 3600, description: "seconds, 0 to 3600" },
    default: 60,
    meaning: "seconds that a stopping server waits for what is still running; then it is cut off",
  },
} as const;
