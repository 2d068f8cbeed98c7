// The setting `egress.allow`: targets that the address policy would otherwise refuse. An entry can be limited to ports and to
// one project.
import ipaddr from "ipaddr.js";
import { configurationError, type RuntimeError } from "../errors";
import { type Address, readAddress } from "./address";

/** The entries that apply to a request. */
export interface AllowList {
  /** Whether an entry names this host (lower case, no brackets, no dot at the end). */
  namesHost(host: string): boolean;
  /** Whether an address, a range, `loopback` or `private` covers this address. */
  covers(address: Address): boolean;
}

export interface AllowRules {
  /** The entries for requests of a project to a port; `project` undefined: requests of the deployment. */
  for(project: string | undefined, port: number): AllowList;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

interface Entry {
  /** Undefined: all requests. */
  project: string | undefined;
  /** First and last port; undefined: all ports. */
  ports: readonly [number, number] | undefined;
  namesHost(host: string): boolean;
  covers(address: Address): boolean;
}

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
const PROJECT = /^project=([A-Za-z0-9._-]{1,100})\s+(\S.*)$/i;
const PORTS = /^(.*):(\d{1,5})(?:-(\d{1,5}))?$/;

/**
 * Parses the entries: `loopback`, `private`, an address, a range (`10.0.0.0/8`), a host name, or `.suffix` for all
 * subdomains; each optionally with a port (`:8443`) or ports (`:8000-8100`), and with `project=ID` in front. An IPv6 address
 * with a port needs brackets. Throws `RuntimeError` `configuration` for anything else.
 */
export function parseAllowList(entries: readonly string[]): AllowRules {
  const parsed = entries.map((entry) => parseEntry(entry));
  const listOf = (applying: readonly Entry[]): AllowList => ({
    namesHost: (host) => applying.some((entry) => entry.namesHost(host)),
    covers: (address) => applying.some((entry) => entry.covers(address)),
  });
  if (parsed.every(({ project, ports }) => project === undefined && ports === undefined)) {
    const all = listOf(parsed);
    return { for: () => all };
  }
  return {
    for: (project, port) => listOf(parsed.filter((entry) => isFor(entry, project, port))),
  };
}

function isFor({ project: only, ports }: Entry, project: string | undefined, port: number): boolean {
  if (only !== undefined && only !== project) return false;
  return ports === undefined || (ports[0] <= port && port <= ports[1]);
}

function parseEntry(given: string): Entry {
  const entry = given.trim();
  const [, project, rest = entry] = PROJECT.exec(entry) ?? [];
  const [target, ports] = splitPorts(rest.toLowerCase(), given);
  return { project, ports, ...matcherOf(target, given) };
}

/** A colon belongs to the address in IPv6 without brackets. */
function splitPorts(text: string, entry: string): [target: string, ports: Entry["ports"]] {
  if (parseRange(text) !== undefined) return [text, undefined];
  const [, target, first, last = first] = PORTS.exec(text) ?? [];
  if (target === undefined) return [text, undefined];
  const ports = [Number(first), Number(last)] as const;
  if (ports[0] < 1 || ports[1] > 65_535 || ports[0] > ports[1]) throw invalidEntry(entry);
  const inner = /^\[([^\]]*)\](\/\d{1,3})?$/.exec(target);
  if (inner?.[1]?.includes(":") === true) return [`${inner[1]}${inner[2] ?? ""}`, ports];
  // Without brackets, a reader cannot tell the port from the address.
  if (target.includes(":")) throw invalidEntry(entry);
  return [target, ports];
}

function matcherOf(target: string, entry: string): Pick<Entry, "namesHost" | "covers"> {
  const range = parseRange(target);
  const never = (): boolean => false;
  if (target === "loopback" || target === "private")
    return { namesHost: never, covers: ({ kind }) => kind === target };
  if (range !== undefined) return { namesHost: never, covers: ({ parsed }) => isWithin(parsed, range) };
  if (target.startsWith(".")) {
    const suffix = `.${hostName(entry, target.slice(1))}`;
    return { namesHost: (host) => host.endsWith(suffix), covers: never };
  }
  const name = hostName(entry, target);
  return { namesHost: (host) => host === name, covers: never };
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
      `.suffix for all subdomains, an address (10.1.2.3) or a range (10.0.0.0/8), optionally with a port ` +
      `(internal.example:8443, [fd00::1]:8443) and with "project=ID " in front. Leave out scheme and path.`,
  );
}
