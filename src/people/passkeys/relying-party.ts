// Where passkeys work: browsers offer them in a secure context, and bind them to a host name (WebAuthn, section 5.1.2).
import { isIpAddress, isLoopback } from "../../base";

/** The addresses of localhost. */
const LOOPBACK = ["127.0.0.1", "[::1]"];

export interface RelyingParty {
  /** The host name that the passkeys of this deployment belong to. */
  id: string;
  /** The only origin whose pages may use them. */
  origin: string;
}

/** The relying party of a deployment, or a sentence that says why its address cannot have passkeys. */
export function relyingPartyOf(publicUrl: string): RelyingParty | { reason: string } {
  const url = new URL(publicUrl);
  // The same server under a name: an address cannot have passkeys, and localhost can, also without TLS.
  if (LOOPBACK.includes(url.hostname)) url.hostname = "localhost";
  const isAddress = isIpAddress(url.hostname);
  if (!isAddress && isLoopback(url.hostname)) return { id: url.hostname, origin: url.origin };
  if (isAddress)
    return {
      reason:
        `Passkeys cannot work here: they belong to a host name, and the address of this deployment (public_url) is the IP ` +
        `address ${url.hostname}.`,
    };
  if (url.protocol !== "https:")
    return {
      reason:
        "Passkeys cannot work here: browsers offer them over https only, and the address of this deployment (public_url) " +
        "is not https.",
    };
  return { id: url.hostname, origin: url.origin };
}
