// The standard variables of OpenTelemetry (specification 1.56, "Environment Variable Specification"). They apply where our
// own setting is not set. They are read only if there is a collector: other programs of the same machine have them, too.
import { isObject } from "../base";
import { configurationError } from "../errors";
import type { Environment } from "./paths";
import { decimalOf, type SettingValue } from "./values";

interface Variable {
  setting: string;
  /** Undefined: as if it were not set. Throws `Invalid`. */
  read(text: string): unknown;
}

/** What is wrong with a value. The value itself may be a secret. */
class Invalid extends Error {
  /** Whether the specification wants it to be ignored, with a warning. */
  readonly isIgnored: boolean;

  constructor(message: string, isIgnored: boolean) {
    super(message);
    this.isIgnored = isIgnored;
  }
}

const TRACES_PATH = "/v1/traces";

/** The address that traces are sent to, from that of a collector. */
export function tracesEndpoint(address: string): string {
  const base = address.replace(/\/$/, "");
  return base.endsWith(TRACES_PATH) ? base : `${base}${TRACES_PATH}`;
}

// By name. Of two for the same setting, the first one counts.
const VARIABLES: Readonly<Record<string, Variable>> = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { setting: "telemetry.otlp.endpoint", read: asItIs },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    setting: "telemetry.otlp.endpoint",
    // Appended even if the address ends with it already.
    read: (text) => `${addressOf(text).replace(/\/$/, "")}${TRACES_PATH}`,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: { setting: "telemetry.otlp.headers", read: (text) => text },
  OTEL_EXPORTER_OTLP_HEADERS: { setting: "telemetry.otlp.headers", read: (text) => text },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { setting: "telemetry.otlp.protocol", read: protocolOf },
  OTEL_EXPORTER_OTLP_PROTOCOL: { setting: "telemetry.otlp.protocol", read: protocolOf },
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: { setting: "telemetry.otlp.compression", read: compressionOf },
  OTEL_EXPORTER_OTLP_COMPRESSION: { setting: "telemetry.otlp.compression", read: compressionOf },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: { setting: "telemetry.otlp.timeout", read: secondsOf },
  OTEL_EXPORTER_OTLP_TIMEOUT: { setting: "telemetry.otlp.timeout", read: secondsOf },
  OTEL_BSP_SCHEDULE_DELAY: {
    setting: "telemetry.otlp.delay_ms",
    read: (text) => Math.min(Math.max(millisecondsOf(text), 10), 60_000),
  },
  OTEL_SERVICE_NAME: { setting: "telemetry.service_name", read: (text) => text.slice(0, 255) },
  OTEL_RESOURCE_ATTRIBUTES: { setting: "telemetry.resource", read: attributesOf },
};

export interface OtelValues {
  /** By setting. */
  values: Map<string, SettingValue>;
  /** A line about each value that is ignored, as the specification wants it. */
  ignored: string[];
}

/**
 * Values from the standard variables. `own`: the values of our own sources. Throws `configuration` for a protocol that we do
 * not speak and for an address that is not valid.
 */
export function otelValues(environment: Environment, own: ReadonlyMap<string, SettingValue>): OtelValues {
  const found: OtelValues = { values: new Map(), ignored: [] };
  const isOwn = (setting: string): boolean => (own.get(setting)?.origin ?? "default") !== "default";
  if (!isOwn("telemetry.disabled")) readDisabled(environment, found);
  const { value: isDisabled } = found.values.get("telemetry.disabled") ?? own.get("telemetry.disabled") ?? {};
  if (isDisabled === true || !(hasEndpoint(environment) || isOwn("telemetry.otlp.endpoint"))) return found;
  const read = <T>(name: string, settings: readonly string[], parse: (text: string) => T): T | undefined => {
    const text = valueOf(environment, name);
    const isNeeded = settings.some((setting) => !isOwn(setting) && !found.values.has(setting));
    if (text === undefined || !isNeeded) return undefined;
    const value = parsed(name, settings[0] ?? "", () => parse(text), found.ignored);
    for (const setting of settings) {
      const part = isObject(value) ? value[setting] : value;
      if (part !== undefined && !isOwn(setting) && !found.values.has(setting))
        found.values.set(setting, { value: part, origin: `environment ${name}` });
    }
    return value;
  };
  for (const [name, { setting, read: parse }] of Object.entries(VARIABLES)) read(name, [setting], parse);
  const sampler = read("OTEL_TRACES_SAMPLER", SAMPLER_SETTINGS, samplerOf);
  if (sampler !== undefined && !Object.hasOwn(sampler, SHARE))
    read("OTEL_TRACES_SAMPLER_ARG", [SHARE], shareOf);
  return found;
}

function hasEndpoint(environment: Environment): boolean {
  return Object.entries(VARIABLES).some(
    ([name, { setting }]) =>
      setting === "telemetry.otlp.endpoint" && valueOf(environment, name) !== undefined,
  );
}

/** `OTEL_SDK_DISABLED`, and the exporter `none`. */
function readDisabled(environment: Environment, { values }: OtelValues): void {
  const name =
    valueOf(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true"
      ? "OTEL_SDK_DISABLED"
      : valueOf(environment, "OTEL_TRACES_EXPORTER") === "none"
        ? "OTEL_TRACES_EXPORTER"
        : undefined;
  if (name !== undefined) values.set("telemetry.disabled", { value: true, origin: `environment ${name}` });
}

function parsed<T>(name: string, setting: string, parse: () => T, ignored: string[]): T | undefined {
  try {
    return parse();
  } catch (thrown) {
    if (!(thrown instanceof Invalid)) throw thrown;
    if (thrown.isIgnored) {
      ignored.push(`${name} is ignored. ${thrown.message}`);
      return undefined;
    }
    throw configurationError(
      `${name}: ${thrown.message} ${environmentOf(setting)} overrides it, and RUNTIME_TELEMETRY_DISABLED=true turns traces off.`,
    );
  }
}

function environmentOf(setting: string): string {
  return `RUNTIME_${setting.toUpperCase().replaceAll(".", "_")}`;
}

/** An empty value is one that is not set. */
function valueOf(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  // Keys in addresses would be shown and logged.
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (isHttp && isPlain) return text;
  throw new Invalid(
    "It must be an absolute http(s) address without user, query and fragment; keys belong into headers.",
    false,
  );
}

/** An address without a path is the root. */
function asItIs(text: string): string {
  return new URL(addressOf(text)).href;
}

function protocolOf(text: string): string {
  if (text === "http/protobuf" || text === "http/json") return text;
  throw new Invalid("Traces are sent as http/protobuf or http/json.", false);
}

function compressionOf(text: string): string {
  if (text === "gzip" || text === "none") return text;
  throw new Invalid("It must be gzip or none.", true);
}

function millisecondsOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Invalid("It must be a number of milliseconds.", true);
}

function secondsOf(text: string): number {
  return Math.min(Math.max(Math.ceil(millisecondsOf(text) / 1000), 1), 300);
}

function attributesOf(text: string): string[] {
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  // One that is not valid discards all of them.
  if (items.every((item) => /^[^\s=]+\s*=/.test(item)))
    return items.map((item) => {
      const at = item.indexOf("=");
      return `${item.slice(0, at).trimEnd()}=${item.slice(at + 1).trimStart()}`;
    });
  throw new Invalid("It must be name=value,name=value.", true);
}

const SHARE = "telemetry.sample";
const BY_PARENT = "telemetry.sample_by_parent";
const SAMPLER_SETTINGS = [BY_PARENT, SHARE];

// By name, the settings that a sampler means. Without a share, it is in `OTEL_TRACES_SAMPLER_ARG`.
const SAMPLERS: Readonly<Record<string, { [BY_PARENT]: boolean; [SHARE]?: number }>> = {
  always_on: { [BY_PARENT]: false, [SHARE]: 1 },
  always_off: { [BY_PARENT]: false, [SHARE]: 0 },
  traceidratio: { [BY_PARENT]: false },
  parentbased_always_on: { [BY_PARENT]: true, [SHARE]: 1 },
  parentbased_always_off: { [BY_PARENT]: true, [SHARE]: 0 },
  parentbased_traceidratio: { [BY_PARENT]: true },
};

function samplerOf(text: string): { [BY_PARENT]: boolean; [SHARE]?: number } {
  const sampler = Object.hasOwn(SAMPLERS, text) ? SAMPLERS[text] : undefined;
  if (sampler !== undefined) return sampler;
  throw new Invalid(`It must be one of ${Object.keys(SAMPLERS).join(", ")}.`, true);
}

function shareOf(text: string): number {
  const share = decimalOf(text);
  if (share !== undefined && share <= 1) return share;
  throw new Invalid("It must be a number from 0 to 1.", true);
}
