// The address of a client behind proxies: whose headers count, and from which end they are read.
import { describe, expect, test } from "bun:test";
import { clientAddressesOf, networkOf } from "../../server/client-address";
import { loadConfig } from "../support/config";

const PROXIES = "10.0.0.0/8, 2001:db8:ff::/48, 192.0.2.1";

function addressOf(
  peer: string | undefined,
  headers: Record<string, string>,
  environment: Record<string, string> = {},
) {
  const variables = { HOME: "/nonexistent", RUNTIME_HTTP_TRUSTED_PROXIES: PROXIES, ...environment };
  const { settings } = loadConfig({ environment: variables });
  return clientAddressesOf(settings).clientAddress(peer, new Headers(headers));
}

describe("X-Forwarded-For", () => {
  test.each([
    ["names the client of a trusted proxy", "10.1.1.1", "198.51.100.7", "198.51.100.7"],
    ["is ignored from any other peer", "203.0.113.9", "198.51.100.7", "203.0.113.9"],
    ["is read from the right", "10.1.1.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    [
      "is read through several trusted proxies",
      "10.1.1.1",
      "6.6.6.6, 198.51.100.7, 10.2.2.2",
      "198.51.100.7",
    ],
    ["may name a client in a trusted range", "10.1.1.1", "10.3.3.3", "10.3.3.3"],
    ["may have ports", "10.1.1.1", "198.51.100.7:4711", "198.51.100.7"],
    ["may have IPv6 addresses", "2001:db8:ff::1", "2001:DB8:0::7", "2001:db8::7"],
    ["may have IPv6 addresses with ports", "192.0.2.1", "[2001:db8::7]:443", "2001:db8::7"],
    ["may have IPv4 addresses in IPv6 spelling", "::ffff:10.1.1.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["is not believed beyond text that is not an address", "10.1.1.1", "198.51.100.7, unknown", "10.1.1.1"],
    ["is not believed beyond an empty element", "10.1.1.1", "198.51.100.7,", "10.1.1.1"],
    ["may be empty", "10.1.1.1", "", "10.1.1.1"],
    ["may be huge", "10.1.1.1", `${"6.6.6.6,".repeat(20_000)}198.51.100.7`, "198.51.100.7"],
    ["may have one huge element", "10.1.1.1", "1".repeat(100_000), "10.1.1.1"],
  ])("%s", (_title, peer, list, expected) => {
    expect(addressOf(peer, { "x-forwarded-for": list })).toBe(expected);
  });

  test("counts for nothing without trusted proxies", () => {
    const environment = { RUNTIME_HTTP_TRUSTED_PROXIES: "" };
    expect(addressOf("10.1.1.1", { "x-forwarded-for": "198.51.100.7" }, environment)).toBe("10.1.1.1");
  });
});

describe("Forwarded", () => {
  test.each([
    ["names the client of a trusted proxy", "for=198.51.100.7;proto=https;by=10.1.1.1", "198.51.100.7"],
    ["is read from the right", "for=6.6.6.6, For = 198.51.100.7", "198.51.100.7"],
    ["may be quoted", 'for="[2001:db8::7]:4711"', "2001:db8::7"],
    ["has no effect through a quote that is left open", 'for="6.6.6.6, for=198.51.100.7', "198.51.100.7"],
    ["is not believed with two clients in one element", "for=6.6.6.6;for=198.51.100.7", "10.1.1.1"],
    ["is not believed without a client", "proto=https", "10.1.1.1"],
    ["is not believed with a hidden name", "for=198.51.100.7, for=_hidden", "10.1.1.1"],
  ])("%s", (_title, value, expected) => {
    expect(addressOf("10.1.1.1", { forwarded: value })).toBe(expected);
  });

  // Most proxies write X-Forwarded-For and pass on a Forwarded header that the client has forged.
  test("does not count when X-Forwarded-For is present", () => {
    const headers = { forwarded: "for=6.6.6.6", "x-forwarded-for": "198.51.100.7" };
    expect(addressOf("10.1.1.1", headers)).toBe("198.51.100.7");
  });

  test("alone counts, if the setting says so", () => {
    const environment = { RUNTIME_HTTP_FORWARDED_HEADER: "forwarded" };
    const headers = { forwarded: "for=198.51.100.7", "x-forwarded-for": "6.6.6.6" };
    expect(addressOf("10.1.1.1", headers, environment)).toBe("198.51.100.7");
    expect(addressOf("10.1.1.1", { "x-forwarded-for": "6.6.6.6" }, environment)).toBe("10.1.1.1");
  });

  test("never counts, if the setting says so", () => {
    const environment = { RUNTIME_HTTP_FORWARDED_HEADER: "x-forwarded-for" };
    expect(addressOf("10.1.1.1", { forwarded: "for=6.6.6.6" }, environment)).toBe("10.1.1.1");
  });
});

test("a request without a socket has no address", () => {
  expect(addressOf(undefined, { "x-forwarded-for": "198.51.100.7" })).toBeUndefined();
});

test.each(["proxy.example", "10.0.0.0/33", "loopback", "*"])("%s is not an entry of the setting", (entry) => {
  expect(() => addressOf("10.1.1.1", {}, { RUNTIME_HTTP_TRUSTED_PROXIES: entry })).toThrow(
    /http\.trusted_proxies .* invalid entry/,
  );
});

test.each([
  ["an IPv4 address counts alone", "198.51.100.7", "198.51.100.7"],
  ["an IPv6 address counts as its /64", "2001:db8:1:2:3:4:5:6", "20010db800010002::/64"],
  ["the next /64 is another", "2001:db8:1:3::1", "20010db800010003::/64"],
])("%s", (_title, address, network) => {
  expect(networkOf(address)).toBe(network);
});
