// The target of a request: an absolute http(s) address, parsed once.
import { type Address, readAddress } from "./address";
import { addressRefused, EgressError } from "./types";

export interface Target {
  url: URL;
  /** Lower case, without brackets and without a trailing dot. */
  host: string;
  /** The host, if it is an IP address. */
  literal: Address | undefined;
  /** What logs have in place of an address with a secret. */
  shown?: URL;
}

/** The target of a request whose address contains a secret. Throws `EgressError` `address_refused`, also for another origin. */
export function secretTarget(shown: URL, address: string): Target {
  const target = parseTarget(address);
  if (target.url.origin === shown.origin) return { ...target, shown };
  throw addressRefused(`The secret in an address at ${shown.origin} makes it one at another origin.`);
}

/**
 * Parses an address; a relative one needs `base`. `URL` normalizes every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width) to four decimal parts. Throws `EgressError` `address_refused`; the message does not
 * repeat the text, which may contain a secret.
 */
export function parseTarget(text: string | URL, base?: URL): Target {
  const url = text instanceof URL ? text : URL.parse(text, base?.href);
  if (url === null || url.hostname === "")
    throw addressRefused("The address is not an absolute http(s) address.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw addressRefused("The address does not start with https:// or http://.");
  if (url.username !== "" || url.password !== "") {
    throw addressRefused(
      `The address of ${url.host} contains a user name or a password. Send them in a header instead.`,
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return { url, host, literal: readAddress(host) };
}

/**
 * Secrets are sent only to the origins that they were given for. Throws `EgressError` `address_refused`, and `TypeError`
 * (a mistake of the caller) for secrets without origins.
 */
export function checkSecrets(
  target: Target,
  hasSecrets: boolean,
  secretsFor: readonly string[] | undefined,
): void {
  if (secretsFor === undefined) {
    if (hasSecrets) throw new TypeError("A request with secrets must name the origins that may see them.");
    return;
  }
  if (secretsFor.includes(target.url.origin)) return;
  throw addressRefused(
    `${target.url.origin} is not an origin that the secrets of this request were given for. If the address is right, ` +
      "give the secrets again together with it.",
  );
}

export function portOf({ port, protocol }: URL): number {
  return port !== "" ? Number(port) : protocol === "https:" ? 443 : 80;
}

/** A target as messages name it: without path, query and user. */
export function nameOf(target: Target): string {
  return target.url.origin;
}

/** Bun accepts any number as a status; a `Response` only 200 to 599. Throws `EgressError` `unreachable`. */
export function checkStatus(target: Target, status: number): void {
  if (status >= 200 && status <= 599) return;
  throw new EgressError("unreachable", `${nameOf(target)} answered with the invalid status ${status}.`, {
    maybeSent: true,
  });
}
