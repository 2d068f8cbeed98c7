import { describe, expect, test } from "bun:test";
import { type AddressKind, readAddress } from "../../src/egress/address";

// From the IANA registries of special-purpose addresses and the clouds' documentation.
const KINDS: [string, AddressKind][] = [
  ["8.8.8.8", "public"],
  ["1.1.1.1", "public"],
  ["172.15.255.255", "public"],
  ["172.32.0.0", "public"],
  ["192.167.255.255", "public"],
  ["100.63.255.255", "public"],
  ["100.128.0.0", "public"],
  ["223.255.255.255", "public"],
  ["2606:4700:4700::1111", "public"],
  ["2a00:1450:4001:81b::200e", "public"],
  ["64:ff9b::808:808", "public"],
  ["::ffff:8.8.8.8", "public"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["10.0.0.0", "private"],
  ["10.255.255.255", "private"],
  ["172.16.0.0", "private"],
  ["172.31.255.255", "private"],
  ["192.168.0.1", "private"],
  ["fc00::1", "private"],
  ["fdff:ffff::1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["169.254.0.1", "link_local"],
  ["fe80::1", "link_local"],
  ["febf::1", "link_local"],
  ["169.254.169.254", "metadata"],
  ["::ffff:169.254.169.254", "metadata"],
  ["169.254.170.2", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["fd00:0ec2:0:0:0:0:0:254", "metadata"],
  ["fd20:ce::254", "metadata"],
  ["100.100.100.200", "metadata"],
  ["192.0.0.192", "metadata"],
  ["168.63.129.16", "metadata"],
  ["0.0.0.0", "special"],
  ["0.1.2.3", "special"],
  ["100.64.0.1", "special"],
  ["192.0.0.1", "special"],
  ["192.0.2.1", "special"],
  ["192.88.99.1", "special"],
  ["198.18.0.1", "special"],
  ["198.51.100.1", "special"],
  ["203.0.113.1", "special"],
  ["224.0.0.1", "special"],
  ["240.0.0.1", "special"],
  ["255.255.255.255", "special"],
  ["::", "special"],
  ["::7f00:1", "special"],
  ["::808:808", "special"],
  ["::ffff:0:8.8.8.8", "special"],
  ["64:ff9b::7f00:1", "special"],
  ["64:ff9b::a9fe:a9fe", "special"],
  ["64:ff9b:1::808:808", "special"],
  ["100::1", "special"],
  ["2001::1", "special"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "special"],
  ["2001:db8::1", "special"],
  ["2002:7f00:1::1", "special"],
  ["2002:808:808::1", "special"],
  ["3fff::1", "special"],
  ["4000::1", "special"],
  ["5f00::1", "special"],
  ["fec0::1", "special"],
  ["ff02::1", "special"],
];

describe("readAddress", () => {
  test.each(KINDS)("%s is %s", (text, kind) => {
    expect(readAddress(text)?.kind).toBe(kind);
  });

  test("an IPv4-mapped address is converted to IPv4", () => {
    expect(readAddress("::ffff:8.8.8.8")?.text).toBe("8.8.8.8");
  });

  test.each([
    "",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "fe80::1%eth0",
    "[::1]",
    "example.com",
    "::8.8.8.8",
    "::127.0.0.1",
    "1.2.3.256",
  ])("%p is not an address in its usual spelling", (text) => {
    expect(readAddress(text)).toBeUndefined();
  });
});
