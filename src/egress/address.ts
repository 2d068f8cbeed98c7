// What an IP address is, for the address policy. `ipaddr.js` knows the registries of special addresses; this file adds
// what they do not say: metadata services, and addresses that carry another address inside.
import ipaddr from "ipaddr.js";

/** `special`: every other address that is not public unicast (multicast, reserved, documentation, tunnels, ...). */
export type AddressKind = "public" | "loopback" | "private" | "link_local" | "metadata" | "special";

export interface Address {
  /** The canonical spelling, the one that is connected to; an IPv4-mapped address is its IPv4 address. */
  text: string;
  parsed: ipaddr.IPv4 | ipaddr.IPv6;
  kind: AddressKind;
}

/** Services that hand out a machine's own credentials; by kind some would pass as private, shared or even public. */
const METADATA = new Set([
  "169.254.169.254", // AWS, Google, Azure, ...
  "169.254.170.2", // AWS, containers
  "169.254.170.23", // AWS, pods
  "fd00:ec2::254", // AWS
  "fd00:ec2::23", // AWS, pods
  "fd20:ce::254", // Google
  "100.100.100.200", // Alibaba
  "192.0.0.192", // Oracle
  "168.63.129.16", // Azure: inside a public range
]);

/** The only block from which global unicast addresses are given out (RFC 4291; IANA); the rest of IPv6 is not in use. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** NAT64 (RFC 6052): how a network without IPv4 reaches public hosts. The local-use prefix (RFC 8215) is not meant. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** IPv4-compatible (RFC 4291, deprecated); `ipaddr.js` would read it as IPv4-mapped, which is another address. */
const COMPATIBLE = /^::\d+\.\d+\.\d+\.\d+$/;

/**
 * Reads an address in its usual spelling (four decimal parts, or IPv6 without brackets).
 * Undefined for everything else, also for an address with a zone (`fe80::1%eth0`), which no URL can hold.
 */
export function readAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return describe(ipaddr.IPv4.parse(text));
  if (!text.includes(":") || text.includes("%") || COMPATIBLE.test(text)) return undefined;
  if (!ipaddr.IPv6.isValid(text)) return undefined;
  const parsed = ipaddr.IPv6.parse(text);
  return describe(parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed);
}

function describe(parsed: ipaddr.IPv4 | ipaddr.IPv6): Address {
  const text = parsed.toString();
  return { text, parsed, kind: METADATA.has(text) ? "metadata" : kindOf(parsed) };
}

function kindOf(parsed: ipaddr.IPv4 | ipaddr.IPv6): AddressKind {
  switch (parsed.range()) {
    case "loopback":
      return "loopback";
    case "private":
    case "uniqueLocal":
      return "private";
    case "linkLocal":
      return "link_local";
    case "unicast":
      return isAssigned(parsed) ? "public" : "special";
    case "rfc6052":
      return carriesPublic(parsed) ? "public" : "special";
    default:
      return "special";
  }
}

/** The deprecated IPv4-compatible addresses (`::7f00:1`) and site-local ones count as plain unicast otherwise. */
function isAssigned(parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}

/** A NAT64 address is as public as the IPv4 address in its last four bytes. */
function carriesPublic(parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (parsed.kind() !== "ipv6" || !parsed.match(NAT64)) return false;
  const inner = describe(new ipaddr.IPv4(parsed.toByteArray().slice(-4)));
  return inner.kind === "public";
}
