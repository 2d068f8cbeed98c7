// The address policy: https to public addresses passes; everything else only when the operator's list has it.
import { environmentName, type KeyName } from "../config";
import { type Address, type AddressKind, readAddress } from "./address";
import type { AllowList } from "./allow-list";
import type { Target } from "./target";
import { EgressError } from "./types";

/**
 * The addresses to connect to, in the order given. One refused address refuses the target: a name that mixes public
 * and internal addresses is how DNS rebinding looks. Throws `EgressError` `address_refused`.
 *
 * @param texts what the name resolved to, or the literal address itself
 */
export function checkAddresses(target: Target, texts: readonly string[], allow: AllowList): Address[] {
  return texts.map((text) => {
    const address = readAddress(text);
    if (address === undefined) throw refused(`${target.host} resolves to something that is not an address.`);
    checkAddress(target, address, allow);
    return address;
  });
}

/**
 * Behind a proxy the proxy resolves names, so only what the operator has named may pass.
 * Throws `EgressError` `address_refused`.
 */
export function checkProxied(target: Target, allow: AllowList): void {
  if (target.literal !== undefined) {
    if (isListed(target, target.literal, allow)) return;
  } else if (allow.namesHost(target.host)) return;
  throw refused(
    `Requests to ${target.host} go through a proxy, where its address cannot be checked. ${addToAllow(target.host)}`,
  );
}

/** How to say a setting: `egress.timeout (RUNTIME_EGRESS_TIMEOUT)`. */
export function setting(name: KeyName): string {
  return `${name} (${environmentName(name)})`;
}

function checkAddress(target: Target, address: Address, allow: AllowList): void {
  if (isListed(target, address, allow)) return;
  if (address.kind !== "public") {
    const leads = target.literal === undefined ? "leads to" : "is";
    throw refused(
      `${target.host} ${leads} ${KINDS[address.kind]}, which is refused. ${addToAllow(entryFor(target, address))}`,
    );
  }
  if (target.url.protocol === "https:") return;
  throw refused(`Plain http to ${target.host} is refused. Use https. Or: ${addToAllow(target.host)}`);
}

/** A host name on the list vouches for its addresses, but not for credentials of the machine: whoever owns the name's
 * zone could point it there. */
function isListed(target: Target, address: Address, allow: AllowList): boolean {
  const byName = address.kind !== "link_local" && address.kind !== "metadata" && allow.namesHost(target.host);
  return byName || allow.covers(address);
}

const KINDS: Record<AddressKind, string> = {
  public: "a public address",
  loopback: "a loopback address",
  private: "a private address",
  link_local: "a link-local address",
  metadata: "a metadata address",
  special: "an address that is not public",
};

/** The narrowest entry that an operator would want, and that works. */
function entryFor(target: Target, address: Address): string {
  if (address.kind === "loopback" || address.kind === "private") return address.kind;
  return address.kind === "special" && target.literal === undefined ? target.host : address.text;
}

function addToAllow(entry: string): string {
  return `Set ${setting("egress.allow")} to include "${entry}".`;
}

function refused(message: string): EgressError {
  return new EgressError("address_refused", message, { maybeSent: false });
}
