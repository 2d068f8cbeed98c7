// What runtime.yaml may contain. Errors name the file, the key and the rule in one line.
import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config";
import { load, newHome, refusalOf } from "./home";

function refused(yaml: string): string {
  const { home, file } = newHome(yaml);
  return refusalOf(() => loadConfig({ environment: { HOME: home } })).replaceAll(file, "FILE");
}

describe("a file", () => {
  test.each([
    ["that is empty", ""],
    ["of comments alone", "# port: 1\n"],
    ["with keys that have no value", "port:\negress:\n  allow:\n"],
    ["with an empty group", "egress: {}\n"],
  ])("%s leaves the defaults", (_what, yaml) => {
    expect(load(yaml).settings).toEqual(load(undefined).settings);
  });

  test("may contain a group as nested keys", () => {
    expect(load("http:\n  body_limit: 2048\n  body_timeout: 5\n").settings).toMatchObject({
      "http.body_limit": 2048,
      "http.body_timeout": 5,
    });
  });

  test("may contain a group as dotted keys", () => {
    expect(load("http.body_limit: 2048").settings["http.body_limit"]).toBe(2048);
  });

  test.each([
    ["in lines", "egress:\n  allow:\n    - loopback\n    - 10.0.0.0/8\n"],
    ["in brackets", "egress: { allow: [loopback, 10.0.0.0/8] }"],
  ])("may hold a list %s", (_form, yaml) => {
    expect(load(yaml).settings["egress.allow"]).toEqual(["loopback", "10.0.0.0/8"]);
  });
});

describe("a file is refused", () => {
  test.each([
    ["an unknown key", "prot: 1", 'FILE: unknown key "prot"; did you mean "port"?'],
    [
      "an unknown key of a group",
      "egress:\n  alow: []",
      'FILE: unknown key "egress.alow"; did you mean "egress.allow"?',
    ],
    ["a key in the wrong group", "http:\n  port: 1", 'FILE: unknown key "http.port"; did you mean "port"?'],
    [
      "a key without its group",
      "idle_timeout: 5",
      'FILE: unknown key "idle_timeout"; did you mean "http.idle_timeout"?',
    ],
    ["an unknown group", "egres:\n  allow: []", 'FILE: unknown key "egres"; did you mean "egress"?'],
    ["a key like no other", "completely_different: 1", 'FILE: unknown key "completely_different"'],
    ["an unknown key without a value", "prot:", 'FILE: unknown key "prot"; did you mean "port"?'],
    ["a key that every object has", "constructor: 1", 'FILE: unknown key "constructor"'],
    ["a group where a value belongs", "port:\n  number: 1", 'FILE: "port" does not take nested keys.'],
    ["text where a number belongs", "port: '9099'", 'FILE: "port" must be a port, 0 to 65535.'],
    ["a number out of range", "port: 70000", 'FILE: "port" must be a port, 0 to 65535.'],
    ["a fraction", "port: 1.5", 'FILE: "port" must be a port, 0 to 65535.'],
    ["a number where text belongs", "host: 1", 'FILE: "host" must be a text.'],
    ["a value where a group belongs", "http: 1", 'FILE: "http" takes nested keys, not a value.'],
    ["text where a list belongs", "egress:\n  allow: loopback", /^FILE: "egress\.allow" must be a list of /],
    ["a list with a number in it", "egress:\n  allow: [1]", /^FILE: "egress\.allow" must be a list of /],
    [
      "a word that is not in the list",
      "log:\n  level: loud",
      'FILE: "log.level" must be one of debug, info, warn, error, silent.',
    ],
    [
      "an address of another scheme",
      "public_url: ftp://x.test",
      'FILE: "public_url" must be an absolute http(s) address.',
    ],
    [
      "an address with a blank",
      "public_url: 'http://x.test/a b'",
      'FILE: "public_url" must be an absolute http(s) address.',
    ],
    ["a time of no seconds", "tools:\n  timeout: 0", 'FILE: "tools.timeout" must be seconds, 1 to 3600.'],
    [
      "the root key",
      "root_key: abcdef",
      'FILE: "root_key" is not read from the file. Set it in the environment.',
    ],
    ["broken YAML", "port: [1", "FILE: the configuration file is not valid YAML."],
    ["a list of keys", "- port\n- host", "FILE: the configuration file must contain keys with values."],
    ["text alone", "port", "FILE: the configuration file must contain keys with values."],
    ["two documents", "port: 1\n---\nport: 2", "FILE: the configuration file must contain keys with values."],
  ])("%s", (_what, yaml, expected) => {
    const message = refused(yaml);

    if (typeof expected === "string") expect(message).toStartWith(expected);
    else expect(message).toMatch(expected);
    expect(message).not.toContain("\n");
  });

  test.each([
    ["a wrong value", "public_url: s3cr3t-value"],
    ["a secret in the file", "root_key: s3cr3t-value"],
    ["a secret below another key", "port:\n  password: s3cr3t-value"],
    ["broken YAML", "root_key: s3cr3t-value\nport: [1"],
  ])("%s is not repeated", (_what, yaml) => {
    expect(refused(yaml)).not.toContain("s3cr3t");
  });

  test("an error in the file is reported even if a flag has precedence", () => {
    const { home } = newHome("port: 'x'\nhost: 1");

    expect(refusalOf(() => loadConfig({ flags: { port: "1" }, environment: { HOME: home } }))).toContain(
      '"host"',
    );
  });
});
