// The address of a client. It is the peer of the connection, unless that is a proxy of the operator
// (`http.trusted_proxies`), which names the client in a header. Nothing else in a request is believed.
import { RecentMap } from "../src/base";
import type { Settings } from "../src/config";
import { isWithin, parseRange, readAddress } from "../src/egress";
import { configurationError } from "../src/errors";

export interface ClientAddresses {
  /**
   * The address of the client in its canonical spelling. `peer`: that of the connection; undefined: without a socket.
   * Limits, the access log and the audit trail all use this function.
   */
  clientAddress(peer: string | undefined, headers: Headers): string | undefined;
  /** Whether the peer of a connection is one of the trusted proxies. */
  isProxy(peer: string | undefined): boolean;
}

type Range = NonNullable<ReturnType<typeof parseRange>>;

/** The longest spelling of an address with brackets and port. */
const MAX_NODE_LENGTH = 64;
/** Peers whose spelling is remembered: many requests come from each. */
const PEERS = 1000;
const FORWARDED = "forwarded";
const X_FORWARDED_FOR = "x-forwarded-for";

/** Throws `configuration` for an entry that is neither an address nor a range. */
export function clientAddressesOf(settings: Settings): ClientAddresses {
  const trusted = settings["http.trusted_proxies"].map(rangeOf);
  const header = settings["http.forwarded_header"];
  const spelled = new RecentMap<string, string>(PEERS);
  const canonicalPeer = (peer: string): string | undefined => {
    const known = spelled.get(peer);
    if (known !== undefined) return known;
    const text = canonical(peer);
    if (text !== undefined) spelled.set(peer, text);
    return text;
  };
  return {
    clientAddress: (peer, headers) => {
      let address = peer === undefined ? undefined : canonicalPeer(peer);
      if (trusted.length === 0 || address === undefined) return address;
      // Each proxy adds the address of its own client at the end, so what a client has sent is at the beginning.
      for (const node of nodesFromRight(headers, header)) {
        if (!isTrusted(address, trusted)) return address;
        const next = node === undefined ? undefined : canonical(node);
        if (next === undefined) return address;
        address = next;
      }
      return address;
    },
    isProxy: (peer) => {
      const address = peer === undefined ? undefined : canonicalPeer(peer);
      return address !== undefined && isTrusted(address, trusted);
    },
  };
}

/** What limits count by: an IPv4 address, or the /64 of an IPv6 address, which one client has as a whole. */
export function networkOf(address: string): string {
  const parsed = readAddress(address)?.parsed;
  if (parsed === undefined || parsed.kind() === "ipv4") return address;
  return `${Buffer.from(parsed.toByteArray().slice(0, 8)).toString("hex")}::/64`;
}

function isTrusted(address: string, trusted: readonly Range[]): boolean {
  const parsed = readAddress(address)?.parsed;
  return parsed !== undefined && trusted.some((range) => isWithin(parsed, range));
}

/** The nodes of the chain of proxies, the last one first; undefined: an element without a readable one. */
function nodesFromRight(headers: Headers, named: Settings["http.forwarded_header"]) {
  const list = headers.get(X_FORWARDED_FOR);
  const useList = named === undefined ? list !== null : named === X_FORWARDED_FOR;
  if (useList) return fromRight(list ?? "", (element) => element);
  return fromRight(headers.get(FORWARDED) ?? "", nodeOf);
}

// No valid node contains a comma, so quotes need no attention: a quote that a client left open has no effect.
function* fromRight(
  list: string,
  read: (element: string) => string | undefined,
): Generator<string | undefined> {
  if (list.trim() === "") return;
  let end = list.length;
  while (end >= 0) {
    const start = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
    yield read(list.slice(start + 1, end).trim());
    end = start;
  }
}

/** The value of `for` in an element of `Forwarded` (RFC 7239, section 4). Undefined if there is none, or more than one. */
function nodeOf(element: string): string | undefined {
  let node: string | undefined;
  for (const pair of element.split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, Math.max(at, 0)).trim().toLowerCase() !== "for") continue;
    if (node !== undefined) return undefined;
    node = unquoted(pair.slice(at + 1).trim());
  }
  return node;
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

/** An address, with or without a port. Undefined for `unknown`, hidden names and everything else. */
function canonical(node: string): string | undefined {
  if (node.length > MAX_NODE_LENGTH) return undefined;
  const [, bracketed, bare] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(node) ?? [];
  // The system adds the interface to link-local addresses.
  const [text = ""] = (bracketed ?? bare ?? node).split("%");
  return readAddress(text)?.text;
}

function rangeOf(entry: string): Range {
  const range = parseRange(entry.trim());
  if (range !== undefined) return range;
  throw configurationError(
    `http.trusted_proxies (RUNTIME_HTTP_TRUSTED_PROXIES) contains the invalid entry "${entry}". ` +
      "Use addresses (10.1.2.3) and ranges (10.0.0.0/8).",
  );
}
