// The standard variables of OpenTelemetry.
import { describe, expect, test } from "bun:test";
import { load, refusalOf } from "./home";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test:4318" };

function read(name: string, environment: Record<string, string>, yaml?: string): [unknown, string] {
  const config = load(yaml, environment);
  return [new Map<string, unknown>(Object.entries(config.settings)).get(name), config.originOf(name)];
}

describe("the endpoint", () => {
  test.each([
    ["http://collector.test:4318", "http://collector.test:4318/v1/traces"],
    ["http://collector.test:4318/", "http://collector.test:4318/v1/traces"],
    ["https://collector.test/otlp", "https://collector.test/otlp/v1/traces"],
    ["https://collector.test/v1/traces", "https://collector.test/v1/traces/v1/traces"],
  ])("OTEL_EXPORTER_OTLP_ENDPOINT=%s is a base", (text, endpoint) => {
    expect(read("telemetry.otlp.endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: text })).toEqual([
      endpoint,
      "environment OTEL_EXPORTER_OTLP_ENDPOINT",
    ]);
  });

  test.each([
    ["http://collector.test:4318", "http://collector.test:4318/"],
    ["http://collector.test:4318/otlp", "http://collector.test:4318/otlp"],
    ["http://collector.test:4318/v1/traces", "http://collector.test:4318/v1/traces"],
  ])("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=%s is used as it is, before the other", (text, endpoint) => {
    const environment = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text };
    expect(read("telemetry.otlp.endpoint", environment)[0]).toBe(endpoint);
  });

  test.each([
    ["http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"],
    ["http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318/v1/traces"],
    ["http://127.0.0.1:4318/v1/traces/", "http://127.0.0.1:4318/v1/traces"],
    ["https://collector.test/otlp/", "https://collector.test/otlp/v1/traces"],
  ])("of our own, %s may have the path or not", (text, endpoint) => {
    expect(read("telemetry.otlp.endpoint", { RUNTIME_TELEMETRY_OTLP_ENDPOINT: text })[0]).toBe(endpoint);
    expect(read("telemetry.otlp.endpoint", {}, `telemetry:\n  otlp:\n    endpoint: ${text}\n`)[0]).toBe(
      endpoint,
    );
  });

  test.each(["ftp://a.test", "collector.test:4318", "http://user:pw@a.test", "http://a.test/?key=1"])(
    "%s is refused without being repeated",
    (text) => {
      const message = refusalOf(() => load(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: text }));
      expect(message).toStartWith("OTEL_EXPORTER_OTLP_ENDPOINT: It must be an absolute http(s) address");
      expect(message).not.toContain(text);
    },
  );
});

test("our own setting counts more than a standard variable, from every source", () => {
  const yaml = "telemetry:\n  service_name: mine\n  sample: 0.5\n  otlp:\n    endpoint: http://mine.test\n";
  const environment = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other.test",
    OTEL_SERVICE_NAME: "theirs",
    OTEL_TRACES_SAMPLER: "always_off",
    RUNTIME_TELEMETRY_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  };
  const { settings } = load(yaml, environment);
  expect(settings["telemetry.otlp.endpoint"]).toBe("http://mine.test/v1/traces");
  expect(settings["telemetry.service_name"]).toBe("mine");
  expect(settings["telemetry.sample"]).toBe(0.5);
  expect(settings["telemetry.otlp.protocol"]).toBe("http/json");
  expect(load(yaml, environment).originOf("telemetry.sample_by_parent")).toBe(
    "environment OTEL_TRACES_SAMPLER",
  );
});

describe("a standard variable", () => {
  test.each([
    ["telemetry.service_name", "OTEL_SERVICE_NAME", "tools of sales", "tools of sales"],
    ["telemetry.resource", "OTEL_RESOURCE_ATTRIBUTES", " team=a%2Cb , zone=c,", ["team=a%2Cb", "zone=c"]],
    ["telemetry.otlp.protocol", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "http/json"],
    ["telemetry.otlp.protocol", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", "http/json"],
    ["telemetry.otlp.compression", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "gzip"],
    ["telemetry.otlp.timeout", "OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 3],
    ["telemetry.otlp.timeout", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1", 1],
    ["telemetry.otlp.delay_ms", "OTEL_BSP_SCHEDULE_DELAY", "200", 200],
  ])("sets %s from %s", (name, variable, text, value) => {
    expect(read(name, { ...ENDPOINT, [variable]: text })).toEqual([value, `environment ${variable}`]);
  });

  test("with headers is a secret", () => {
    const config = load(undefined, { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "api-key=s%20ecret" });
    expect(config.collectorHeaders?.reveal()).toBe("api-key=s%20ecret");
    expect(JSON.stringify([config.settings, config.explicitSettings()])).not.toContain("ecret");
    expect(config.originOf("telemetry.otlp.headers")).toBe("environment OTEL_EXPORTER_OTLP_HEADERS");
  });

  test("of traces counts more than the one of all signals", () => {
    const environment = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "a=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "b=2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    };
    expect(load(undefined, environment).collectorHeaders?.reveal()).toBe("b=2");
    expect(read("telemetry.otlp.protocol", environment)[0]).toBe("http/json");
  });

  test("that is empty is not set", () => {
    expect(read("telemetry.service_name", { ...ENDPOINT, OTEL_SERVICE_NAME: "" })).toEqual([
      undefined,
      "default",
    ]);
    expect(read("telemetry.otlp.endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toEqual([
      undefined,
      "default",
    ]);
  });
});

describe("OTEL_TRACES_SAMPLER", () => {
  test.each([
    ["always_on", undefined, false, 1],
    ["always_off", undefined, false, 0],
    ["traceidratio", "0.25", false, 0.25],
    ["traceidratio", undefined, false, 1],
    ["parentbased_always_on", undefined, true, 1],
    ["parentbased_always_off", undefined, true, 0],
    ["parentbased_traceidratio", ".5", true, 0.5],
    ["always_on", "0.1", false, 1],
  ])("%s with %s", (sampler, argument, followsParent, share) => {
    const { settings } = load(undefined, {
      ...ENDPOINT,
      OTEL_TRACES_SAMPLER: sampler,
      ...(argument === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: argument }),
    });
    expect(settings["telemetry.sample_by_parent"]).toBe(followsParent);
    expect(settings["telemetry.sample"]).toBe(share);
  });
});

test("a protocol that is not spoken is refused with those that are", () => {
  expect(refusalOf(() => load(undefined, { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }))).toBe(
    "OTEL_EXPORTER_OTLP_PROTOCOL: Traces are sent as http/protobuf or http/json. RUNTIME_TELEMETRY_OTLP_PROTOCOL overrides " +
      "it, and RUNTIME_TELEMETRY_DISABLED=true turns traces off.",
  );
});

test.each([
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER", "constructor"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "10s"],
  ["OTEL_BSP_SCHEDULE_DELAY", "-1"],
  ["OTEL_RESOURCE_ATTRIBUTES", "a=1,b"],
])("%s=%s is ignored with a line, as the specification wants it", (variable, text) => {
  const config = load(undefined, { ...ENDPOINT, [variable]: text });
  expect(config.ignored).toHaveLength(1);
  expect(config.ignored[0]).toStartWith(`${variable} is ignored. It must be `);
});

test.each(["2", "-0.1", "half", "1e-1x", ""])("OTEL_TRACES_SAMPLER_ARG=%s leaves the share at 1", (text) => {
  const environment = { ...ENDPOINT, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: text };
  expect(load(undefined, environment).settings["telemetry.sample"]).toBe(1);
  expect(load(undefined, environment).ignored).toHaveLength(text === "" ? 0 : 1);
});

test("without a collector, variables of other programs are not looked at", () => {
  const config = load(undefined, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_SERVICE_NAME: "other" });
  expect(config.settings["telemetry.service_name"]).toBeUndefined();
  expect(config.ignored).toEqual([]);
});

describe("traces are off", () => {
  test.each([
    ["OTEL_SDK_DISABLED", "true"],
    ["OTEL_SDK_DISABLED", "TRUE"],
    ["OTEL_TRACES_EXPORTER", "none"],
  ])("with %s=%s, and other variables are not looked at", (variable, text) => {
    const environment = { ...ENDPOINT, [variable]: text, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    expect(read("telemetry.disabled", environment)).toEqual([true, `environment ${variable}`]);
  });

  test("but not with a value that the specification does not name, or against our own setting", () => {
    expect(read("telemetry.disabled", { ...ENDPOINT, OTEL_SDK_DISABLED: "1" })[0]).toBe(false);
    const environment = { ...ENDPOINT, OTEL_SDK_DISABLED: "true", RUNTIME_TELEMETRY_DISABLED: "false" };
    expect(read("telemetry.disabled", environment)[0]).toBe(false);
  });
});
