// The setting `egress.allow`: targets that the address policy would otherwise refuse.
import ipaddr from "ipaddr.js";
import { configurationError, type RuntimeError } from "../errors";
import { type Address, readAddress } from "./address";

export interface AllowList {
  /** Whether an entry names this host (lower case, no brackets, no dot at the end). */
  namesHost(host: string): boolean;
  /** Whether an address, a range, `loopback` or `private` covers this address. */
  covers(address: Address): boolean;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/**
 * Parses the entries: `loopback`, `private`, an address, a range (`10.0.0.0/8`), a host name, or `.suffix` for all
 * subdomains. Throws `RuntimeError` `configuration` for anything else.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const words = new Set<string>();
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  const ranges: Range[] = [];
  for (const entry of entries.map((text) => text.trim().toLowerCase())) {
    const range = parseRange(entry);
    if (entry === "loopback" || entry === "private") words.add(entry);
    else if (range !== undefined) ranges.push(range);
    else if (entry.startsWith(".")) suffixes.push(`.${hostName(entry, entry.slice(1))}`);
    else hosts.add(hostName(entry, entry));
  }
  return {
    namesHost: (host) => hosts.has(host) || suffixes.some((suffix) => host.endsWith(suffix)),
    covers: (address) => words.has(address.kind) || ranges.some((range) => isWithin(address.parsed, range)),
  };
}

/** An address or a range in its usual spelling; undefined for everything else. */
export function parseRange(text: string): Range | undefined {
  const address = readAddress(text);
  if (address !== undefined) return [address.parsed, address.parsed.kind() === "ipv4" ? 32 : 128];
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  if (text.includes(":") && ipaddr.IPv6.isValidCIDR(text)) return ipaddr.IPv6.parseCIDR(text);
  return undefined;
}

export function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

/** The host name as in a URL, so that `Bücher.example` matches. */
function hostName(entry: string, name: string): string {
  if (/[\s/:@?#%[\]]/.test(name) || !URL.canParse(`http://${name}/`)) throw invalidEntry(entry);
  const { hostname } = new URL(`http://${name}/`);
  const host = hostname.replace(/\.$/, "");
  // A URL parser reads `127.1` as 127.0.0.1; an entry must be explicit.
  if (!HOST_NAME.test(host) || readAddress(host) !== undefined) throw invalidEntry(entry);
  return host;
}

function invalidEntry(entry: string): RuntimeError {
  return configurationError(
    `egress.allow (RUNTIME_EGRESS_ALLOW) contains the invalid entry "${entry}". Use loopback, private, a host name, ` +
      `.suffix for all subdomains, an address (10.1.2.3) or a range (10.0.0.0/8). Leave out scheme, port and path.`,
  );
}
