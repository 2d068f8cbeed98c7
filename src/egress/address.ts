// Classifies IP addresses for the address policy. `ipaddr.js` has the registries of special addresses; this file adds
// metadata services and addresses that embed another address.
import ipaddr from "ipaddr.js";

/** `special`: any other address that is not public unicast (multicast, reserved, documentation, tunnels, ...). */
export type AddressKind = "public" | "loopback" | "private" | "link_local" | "metadata" | "special";

export interface Address {
  /** The canonical spelling, which is used to connect; an IPv4-mapped address is converted to IPv4. */
  text: string;
  parsed: ipaddr.IPv4 | ipaddr.IPv6;
  kind: AddressKind;
}

/** Services that return credentials of the machine. Some of these addresses are private, shared or even public. */
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

/** The only block in which IANA assigns global unicast addresses (RFC 4291); the rest of IPv6 is not in use. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** NAT64 (RFC 6052): how a network without IPv4 reaches public hosts. Without the local-use prefix (RFC 8215). */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** IPv4-compatible (RFC 4291, deprecated). `ipaddr.js` would read it as IPv4-mapped, which is a different address. */
const COMPATIBLE = /^::\d+\.\d+\.\d+\.\d+$/;

/**
 * Parses an address in its usual spelling (four decimal parts, or IPv6 without brackets). Undefined for everything else,
 * including an address with a zone (`fe80::1%eth0`), which is not valid in a URL.
 */
export function readAddress(text: string): Address | undefined {
  if (parsedAddresses.has(text)) return parsedAddresses.get(text);
  const address = parse(text);
  if (parsedAddresses.size >= MAX_PARSED) parsedAddresses.clear();
  parsedAddresses.set(text, address);
  return address;
}

/** Parsing costs more than a small request (docs/performance.md). */
const parsedAddresses = new Map<string, Address | undefined>();
const MAX_PARSED = 1000;

function parse(text: string): Address | undefined {
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
      return embedsPublic(parsed) ? "public" : "special";
    default:
      return "special";
  }
}

/** Without this, deprecated IPv4-compatible addresses (`::7f00:1`) and site-local ones would be plain unicast. */
function isAssigned(parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}

/** A NAT64 address is public if the IPv4 address in its last four bytes is. */
function embedsPublic(parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (parsed.kind() !== "ipv6" || !parsed.match(NAT64)) return false;
  const inner = describe(new ipaddr.IPv4(parsed.toByteArray().slice(-4)));
  return inner.kind === "public";
}
