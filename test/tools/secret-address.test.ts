// The address in a secret: which ones are known, and whether a user's token is valid there.
import { describe, expect, test } from "bun:test";
import type { Catalog } from "../../src/tools";
import type { AddressSecret } from "../../src/tools/definition";
import { knownAddress, wrongServer } from "../../src/tools/secret-address";

const ONE = "https://api.one.example";
const TWO = "https://api.two.example";
const OWN = "https://own.example";
const PROXY = "https://proxy.example";
const SETTINGS = { "test.urls": [OWN, PROXY] };

const secret: AddressSecret = {
  name: "ADDRESS",
  origins: [ONE, TWO],
  setting: "test.urls",
  aliases: { "https://app.one.example": ONE, "https://old.two.example": TWO },
  fact: "home",
};
const catalog: Catalog = {
  toolkit: { name: "Test", description: "Test", version: "1.0.0" },
  bases: { api: { secret }, other: { url: "https://elsewhere.example" } },
  tools: [],
};

describe("an address", () => {
  test.each([
    [ONE, `${ONE}/`],
    [`${ONE}/base`, `${ONE}/base`],
    [`${OWN}/base?x=1`, `${OWN}/base?x=1`],
    ["https://app.one.example", `${ONE}/`],
    ["https://app.one.example/base?x=1", `${ONE}/base?x=1`],
    // A path must not lead to another host.
    ["https://app.one.example//evil.example/x", `${ONE}//evil.example/x`],
    ["https://app.one.example/\\evil.example", `${ONE}//evil.example`],
  ])("%s is %s", (given, address) => {
    expect(knownAddress(SETTINGS, secret, new URL(given)).href).toBe(address);
  });

  test.each([
    "https://evil.example",
    "http://app.one.example",
    "https://app.one.example:8443",
    "https://app.one.example.evil.example",
    "https://constructor",
  ])("%s is not known", (given) => {
    expect(() => knownAddress(SETTINGS, secret, new URL(given))).toThrow("is not a known address");
  });
});

describe("a token", () => {
  const wrong = (home: unknown, base: string) =>
    wrongServer(SETTINGS, catalog, { ADDRESS: base }, { home: home as string });

  test.each([
    [ONE, TWO],
    [ONE, "https://old.two.example"],
    ["https://app.one.example", TWO],
    [OWN, PROXY],
  ])("of %s is not valid at %s", (home, base) => {
    expect(wrong(home, base)).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", canRetry: false });
  });

  test.each([
    [ONE, ONE],
    [ONE, `${ONE}/base`],
    [ONE, "https://app.one.example"],
    ["https://app.one.example", ONE],
    // Only the operator knows where these lead to.
    [ONE, PROXY],
    [OWN, ONE],
    ["https://unknown.example", ONE],
    ["nonsense", ONE],
    [undefined, ONE],
    [ONE, "nonsense"],
  ])("of %s is not said to be invalid at %s", (home, base) => {
    expect(wrong(home, base)).toBeUndefined();
  });

  test("needs no address if no secret decides it", () => {
    const { fact: _, ...plain } = secret;
    const bases = { api: { secret: plain } };
    expect(wrongServer(SETTINGS, { ...catalog, bases }, {}, { home: ONE })).toBeUndefined();
  });
});
