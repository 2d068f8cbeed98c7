// The address policy: https to public addresses is allowed; everything else must be on the operator's list.
import { environmentName, type KeyName } from "../config";
import { type Address, type AddressKind, readAddress } from "./address";
import type { AllowList } from "./allow-list";
import { portOf, type Target } from "./target";
import { addressRefused } from "./types";

/**
 * The addresses to connect to, in the given order. One refused address refuses the target: DNS rebinding uses names that
 * resolve to both public and internal addresses. Throws `EgressError` `address_refused`.
 *
 * @param texts the addresses that the name resolved to, or the literal address
 */
export function checkAddresses(target: Target, texts: readonly string[], allow: AllowList): Address[] {
  return texts.map((text) => {
    const address = readAddress(text);
    if (address === undefined)
      throw addressRefused(`${target.host} resolves to something that is not an address.`);
    checkAddress(target, address, allow);
    return address;
  });
}

/**
 * A proxy resolves names itself, so only targets on the list of the operator are allowed.
 * Throws `EgressError` `address_refused`.
 */
export function checkProxied(target: Target, allow: AllowList): void {
  if (target.literal !== undefined) {
    if (isListed(target, target.literal, allow)) return;
  } else if (allow.namesHost(target.host)) return;
  throw addressRefused(
    `Requests to ${target.host} go through a proxy, where its address cannot be checked. ${addToAllow(withPort(target, target.host))}`,
  );
}

/** A setting as messages name it: `egress.timeout (RUNTIME_EGRESS_TIMEOUT)`. */
export function setting(name: KeyName): string {
  return `${name} (${environmentName(name)})`;
}

function checkAddress(target: Target, address: Address, allow: AllowList): void {
  if (isListed(target, address, allow)) return;
  if (address.kind !== "public") {
    const verb = target.literal === undefined ? "resolves to" : "is";
    throw addressRefused(
      `${target.host} ${verb} ${KINDS[address.kind]}, which is refused. ${addToAllow(entryFor(target, address))}`,
    );
  }
  if (target.url.protocol === "https:") return;
  const entry = withPort(target, target.host);
  throw addressRefused(`Plain http to ${target.host} is refused. Use https. Or: ${addToAllow(entry)}`);
}

/**
 * A listed host name allows its addresses, but not link-local and metadata addresses: the owner of the DNS zone could
 * point the name there.
 */
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

/** The narrowest entry that allows the target. A listed name does not allow link-local and metadata addresses. */
function entryFor(target: Target, address: Address): string {
  const byAddress = address.kind === "link_local" || address.kind === "metadata";
  return withPort(target, byAddress ? address.text : target.host);
}

function withPort(target: Target, host: string): string {
  return `${host.includes(":") ? `[${host}]` : host}:${portOf(target.url)}`;
}

function addToAllow(entry: string): string {
  return `Set ${setting("egress.allow")} to include "${entry}".`;
}
