// The settings of traces. Most have standard variables too (`OTEL_…`, see `otel.ts`), which count less than our own.

export const TRACE_KEYS = {
  "telemetry.disabled": {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning: "no traces, whatever else is set",
  },
  "telemetry.otlp.endpoint": {
    schema: {
      type: "string",
      pattern: "^https?://[^\\s/?#@]+(/[^\\s?#]*)?$",
      description: "an absolute http(s) address without user, query and fragment",
    },
    meaning:
      "address of the collector that gets traces (OTLP over HTTP), without or with /v1/traces; unset: no traces",
  },
  "telemetry.otlp.headers": {
    schema: {
      type: "string",
      minLength: 1,
      description: "a list of name=value, separated by commas, with values percent-encoded",
    },
    secret: true,
    meaning: "headers of requests to the collector: name=value,name=value, with values percent-encoded",
  },
  "telemetry.otlp.protocol": {
    schema: { enum: ["http/protobuf", "http/json"], description: "http/protobuf or http/json" },
    default: "http/protobuf",
    meaning: "encoding of traces",
  },
  "telemetry.otlp.compression": {
    schema: { enum: ["none", "gzip"], description: "none or gzip" },
    default: "none",
    meaning: "compression of requests to the collector",
  },
  "telemetry.otlp.timeout": {
    schema: { type: "integer", minimum: 1, maximum: 300, description: "seconds, 1 to 300" },
    default: 10,
    meaning: "time limit of a request to the collector",
  },
  "telemetry.otlp.delay_ms": {
    schema: { type: "integer", minimum: 10, maximum: 60_000, description: "milliseconds, 10 to 60000" },
    default: 5000,
    meaning: "how long a span waits for others to be sent with, in milliseconds",
  },
  "telemetry.service_name": {
    schema: { type: "string", minLength: 1, maxLength: 255, description: "a text of 1 to 255 characters" },
    meaning: "name of this deployment in traces (service.name); unset: runtime",
  },
  "telemetry.resource": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^[^\\s=,]+=[^,]*$" },
      description: "a list of name=value, with values percent-encoded",
    },
    default: [],
    meaning: "more attributes of this deployment in traces: deployment.environment.name=production",
  },
  "telemetry.sample": {
    schema: { type: "number", minimum: 0, maximum: 1, description: "a number, 0 to 1" },
    default: 1,
    meaning: "share of traces that are sent; a trace is sent as a whole or not at all",
  },
  "telemetry.sample_by_parent": {
    schema: { type: "boolean", description: "true or false" },
    default: true,
    meaning:
      "the sampled flag in traceparent of a caller decides; telemetry.sample decides for other requests",
  },
  "telemetry.propagate": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^\\.?[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(:\\d{1,5})?$" },
      description:
        "a list of host groups (worker, hook, model, …), toolkits, and hosts with an optional port",
    },
    default: [],
    meaning:
      "who gets traceparent with our requests: host groups (worker, hook, model), toolkits, hosts; empty: none",
  },
  "telemetry.content": {
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 100 },
      description: "a list of project ids",
    },
    default: [],
    meaning: "projects whose traces contain arguments and results of tools; empty: none",
  },
} as const;
