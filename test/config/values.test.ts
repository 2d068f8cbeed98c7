// Converts text of flags and variables to the declared type.
import { describe, expect, test } from "bun:test";
import type { KeyName } from "../../src/config";
import { load, refusalOf } from "./home";

describe("lists as text", () => {
  test.each([
    ["one item", "loopback", ["loopback"]],
    ["items by comma", "loopback,10.0.0.0/8", ["loopback", "10.0.0.0/8"]],
    ["blanks around items", " loopback , 10.0.0.0/8 ", ["loopback", "10.0.0.0/8"]],
    ["a comma at the end", "loopback,", ["loopback"]],
    ["a doubled comma", "loopback,,private", ["loopback", "private"]],
    ["nothing", "", []],
    ["blanks alone", "  ", []],
    ["an address with colons", "[::1]:8080,fd00::/8", ["[::1]:8080", "fd00::/8"]],
  ])("%s", (_form, text, expected) => {
    expect(load(undefined, { RUNTIME_EGRESS_ALLOW: text }).settings["egress.allow"]).toEqual(expected);
    expect(load(undefined, {}, { flags: { "egress.allow": text } }).settings["egress.allow"]).toEqual(
      expected,
    );
  });
});

describe("the idle timeout of connections", () => {
  test.each([
    ["0", 0],
    ["5", 5],
    ["255", 255],
  ])("%s is valid", (text, expected) => {
    const { settings } = load(undefined, { RUNTIME_HTTP_IDLE_TIMEOUT: text });
    expect(settings["http.idle_timeout"]).toBe(expected);
  });

  test.each(["1", "4", "256", "-1", "60s"])("%s is refused", (text) => {
    expect(refusalOf(() => load(undefined, { RUNTIME_HTTP_IDLE_TIMEOUT: text }))).toContain(
      'RUNTIME_HTTP_IDLE_TIMEOUT: "http.idle_timeout" must be seconds, 5 to 255, or 0.',
    );
  });

  test("is above the 60 s that most balancers wait, unless it is set", () => {
    expect(load(undefined, {}).settings["http.idle_timeout"]).toBeGreaterThan(60);
  });
});

describe("numbers as text", () => {
  test.each([
    ["0", 0],
    ["65535", 65535],
    ["080", 80],
  ])("%j is %d", (text, expected) => {
    expect(load(undefined, { RUNTIME_PORT: text }).settings.port).toBe(expected);
  });

  test.each([" ", "80 ", "8o", "80.0", "8e1", "0x50", "-1", "65536", "NaN", "99999999999999999999", "٨٠"])(
    "%j is refused by the name of variable and key, and the rule",
    (text) => {
      expect(refusalOf(() => load(undefined, { RUNTIME_PORT: text }))).toMatch(
        /^(environment )?RUNTIME_PORT: "port" must be a port, 0 to 65535\.$/,
      );
    },
  );

  test.each([
    ["1e-3", 0.001],
    ["1E-1", 0.1],
    [".5", 0.5],
    ["1.", 1],
    ["0", 0],
  ])("%j is the share %d", (text, share) => {
    expect(load(undefined, { RUNTIME_TELEMETRY_SAMPLE: text }).settings["telemetry.sample"]).toBe(share);
  });

  test.each(["e3", ".", "1e", "1e999", "-0.1", "2", "0x1"])("%j is not a share", (text) => {
    expect(refusalOf(() => load(undefined, { RUNTIME_TELEMETRY_SAMPLE: text }))).toContain(
      "a number, 0 to 1",
    );
  });

  test.each(["PORT", "TELEMETRY_SAMPLE", "BEHIND_PROXY", "USER", "API_KEY", "ROOT_KEY"])(
    "RUNTIME_%s without a value is called empty",
    (name) => {
      const key = name === "TELEMETRY_SAMPLE" ? "telemetry.sample" : name.toLowerCase();
      expect(refusalOf(() => load(undefined, { [`RUNTIME_${name}`]: "" }))).toStartWith(
        `RUNTIME_${name}: "${key}" is empty. It must be `,
      );
    },
  );

  test("of a flag are refused with the flag's name", () => {
    expect(refusalOf(() => load(undefined, {}, { flags: { "http.body_limit": "much" } }))).toMatch(
      /^(flag )?--http-body-limit: "http\.body_limit" must be bytes\.$/,
    );
  });
});

describe("texts", () => {
  test.each<[KeyName, string, string]>([
    ["host", "RUNTIME_HOST", ""],
    ["data_dir", "RUNTIME_DATA_DIR", ""],
    ["session_verification", "RUNTIME_SESSION_VERIFICATION", "none"],
    ["log.level", "RUNTIME_LOG_LEVEL", "INFO"],
    ["public_url", "RUNTIME_PUBLIC_URL", "run.test"],
    ["public_url", "RUNTIME_PUBLIC_URL", "https://"],
    ["auth.url", "RUNTIME_AUTH_URL", "javascript:alert(1)"],
  ])("%s: %s=%j is refused", (key, variable, text) => {
    const message = refusalOf(() => load(undefined, { [variable]: text }));

    const start = text === "" ? `"${key}" is empty. It must be ` : `"${key}" must be `;
    expect(message).toStartWith(`${variable}: ${start}`);
    expect(message).not.toContain("\n");
  });

  test("digits stay text for a text setting", () => {
    expect(load(undefined, { RUNTIME_PROJECT: "0012" }).settings.project).toBe("0012");
  });

  test("a refused value is not repeated", () => {
    const message = refusalOf(() => load(undefined, { RUNTIME_PUBLIC_URL: "s3cr3t" }));
    expect(message).toContain("RUNTIME_PUBLIC_URL");
    expect(message).not.toContain("s3cr3t");
  });
});
