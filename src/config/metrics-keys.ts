// The settings of the page of metrics.

export const METRICS_KEYS = {
  "metrics.enabled": {
    schema: { type: "boolean", description: "true or false" },
    default: true,
    meaning: "count what the server does, and serve GET /metrics to keys of the roles metrics and admin",
  },
  "metrics.listen": {
    schema: {
      type: "string",
      pattern: "^(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$",
      description: "an address and a port, such as 127.0.0.1:9464",
    },
    meaning: "address and port of a listener that serves only /metrics, without a key; unset: none",
  },
} as const;

/** Host (IPv6 in brackets) and port of `metrics.listen`. The port may be too large. */
export function metricsPlace(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
}
