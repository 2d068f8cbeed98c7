// Traces of a process: the tracer, and the exporter that it feeds.
import { type Clock, type Log, Redacted } from "../../base";
import { configurationError } from "../../errors";
import type { Telemetry, Tracer } from "../telemetry";
import { SpanExporter } from "./exporter";
import { parseHeaders, parseMembers } from "./members";
import { RESOURCE } from "./names";
import { Propagation } from "./propagation";
import { type Collector, encodingOf, type Outbound, type Protocol, send } from "./send";
import type { Attributes, Resource } from "./span";
import { SpanTracer } from "./tracer";

export interface TracesOptions {
  settings: {
    readonly "telemetry.otlp.protocol": Protocol;
    readonly "telemetry.otlp.compression": Collector["compression"];
    /** Seconds. */
    readonly "telemetry.otlp.timeout": number;
    readonly "telemetry.otlp.delay_ms": number;
    readonly "telemetry.service_name"?: string;
    readonly "telemetry.resource": readonly string[];
    readonly "telemetry.sample": number;
    readonly "telemetry.sample_by_parent": boolean;
    readonly "telemetry.propagate": readonly string[];
    readonly "telemetry.content": readonly string[];
  };
  /** Setting `telemetry.otlp.endpoint`. */
  endpoint: string;
  /** Setting `telemetry.otlp.headers`. */
  headers: Redacted | undefined;
  /** Of the product. */
  version: string;
  /** Names this process among others of the same service. */
  instance: string;
  egress: Outbound;
  clock: Clock;
  log: Log;
  random: (bytes: number) => Uint8Array;
  telemetry: Pick<Telemetry, "count">;
}

export interface Traces {
  tracer: Tracer;
  /** Sends what is left, within a few seconds. */
  stop(): Promise<void>;
}

const SERVICE = "runtime";

/** Throws `configuration` for headers and resource attributes that are not valid. */
export function openTraces(options: TracesOptions): Traces {
  const { settings, clock, log, random, egress, telemetry, endpoint } = options;
  const collector: Collector = {
    endpoint,
    headers: headersOf(options.headers),
    encoding: encodingOf(settings["telemetry.otlp.protocol"], resourceOf(options)),
    compression: settings["telemetry.otlp.compression"],
    timeoutMs: settings["telemetry.otlp.timeout"] * 1000,
  };
  const exporter = new SpanExporter({
    clock,
    log,
    vary: () => (random(1)[0] ?? 0) / 256,
    delayMs: settings["telemetry.otlp.delay_ms"],
    collector: new URL(endpoint).origin,
    batch: () => collector.encoding.batch(),
    send: (batch, signal) => send(egress, collector, batch, signal),
    dropped: (spans, reason) => telemetry.count("dropped_spans", { reason }, spans),
  });
  const tracer = new SpanTracer({
    clock,
    random,
    sampling: {
      share: settings["telemetry.sample"],
      followsParent: settings["telemetry.sample_by_parent"],
    },
    propagation: new Propagation(settings["telemetry.propagate"]),
    content: new Set(settings["telemetry.content"]),
    ended: (span) => exporter.add(span),
  });
  return { tracer, stop: () => exporter.stop() };
}

function headersOf(text: Redacted | undefined): Record<string, Redacted> {
  const headers = text === undefined ? {} : parseHeaders(text.reveal());
  if (headers === undefined)
    throw configurationError(
      "telemetry.otlp.headers (RUNTIME_TELEMETRY_OTLP_HEADERS, OTEL_EXPORTER_OTLP_HEADERS) must be " +
        "name=value,name=value, with values percent-encoded.",
    );
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, new Redacted(value)]));
}

function resourceOf({ settings, version, instance }: TracesOptions): Resource {
  const given = parseMembers(settings["telemetry.resource"]);
  if (given === undefined)
    throw configurationError(
      "telemetry.resource (RUNTIME_TELEMETRY_RESOURCE, OTEL_RESOURCE_ATTRIBUTES) must be name=value,name=value, with " +
        "values percent-encoded.",
    );
  const name = settings["telemetry.service_name"] ?? given[RESOURCE.service] ?? SERVICE;
  const own: Attributes = { [RESOURCE.instance]: instance, [RESOURCE.version]: version };
  return { attributes: { ...own, ...given, [RESOURCE.service]: name }, version };
}
