import { describe, expect, test } from "bun:test";
import { RuntimeError } from "../../src/errors";
import { readAddress } from "../../src/egress/address";
import { parseAllowList } from "../../src/egress/allow-list";

function covers(entry: string, text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) throw new Error(text);
  return parseAllowList([entry]).for(undefined, 443).covers(address);
}

describe("addresses", () => {
  test.each([
    ["loopback", "127.0.0.1", true],
    ["loopback", "::1", true],
    ["loopback", "::ffff:127.9.9.9", true],
    ["loopback", "10.0.0.1", false],
    ["loopback", "0.0.0.0", false],
    ["private", "10.0.0.1", true],
    ["private", "fd12::1", true],
    ["private", "127.0.0.1", false],
    ["private", "169.254.1.1", false],
    ["private", "100.64.0.1", false],
    ["private", "fd00:ec2::254", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.1.2.4", false],
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["10.1.0.0/16", "::ffff:10.1.2.3", true],
    ["169.254.169.254", "169.254.169.254", true],
    ["fd00:ec2::/32", "fd00:ec2::254", true],
    ["::1", "127.0.0.1", false],
    ["0.0.0.0/0", "::1", false],
    ["127.0.0.1", "64:ff9b::7f00:1", false],
    ["64:ff9b::/96", "64:ff9b::7f00:1", true],
  ])("%s covers %s: %p", (entry, text, expected) => {
    expect(covers(entry, text)).toBe(expected);
  });
});

describe("host names", () => {
  test.each([
    ["api.example", "api.example", true],
    ["API.Example", "api.example", true],
    ["bücher.example", "xn--bcher-kva.example", true],
    ["api.example", "x.api.example", false],
    ["api.example", "notapi.example", false],
    [".example", "api.example", true],
    [".example", "a.b.example", true],
    [".example", "example", false],
    [".example", "badexample", false],
    ["host_1", "host_1", true],
  ])("%s names %s: %p", (entry, host, expected) => {
    expect(parseAllowList([entry]).for(undefined, 443).namesHost(host)).toBe(expected);
  });
});

test.each([
  "",
  "https://api.example",
  "api.example/path",
  "user@api.example",
  "*",
  "*.example",
  ".",
  "..example",
  "10.0.0.0/33",
  "10.0.0/8",
  "127.1",
  "0x7f000001",
  "::1/129",
  "[::1]",
  "a b",
])("the entry %p prevents the start, with an error that names the setting", (entry) => {
  const parse = (): unknown => parseAllowList(["loopback", entry]);
  expect(parse).toThrow(RuntimeError);
  expect(parse).toThrow("egress.allow (RUNTIME_EGRESS_ALLOW)");
});
