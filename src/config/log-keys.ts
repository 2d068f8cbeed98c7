// The settings of the log.

export const LOG_KEYS = {
  "log.level": {
    schema: {
      enum: ["debug", "info", "warn", "error", "silent"],
      description: "debug, info, warn, error or silent",
    },
    default: "info",
    meaning: "lowest severity that is logged; for a running server: runtime log level debug --for 10m",
  },
  "log.format": {
    schema: { enum: ["json", "text"], description: "json or text" },
    meaning: "form of log lines; unset: text on a terminal, json elsewhere",
  },
  "log.access": {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "an access log: one line for each request, at every log.level but silent",
  },
} as const;
