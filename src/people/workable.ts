// Whether people can sign in as the settings say. A server whose sign-in cannot work does not start.
import { isIpAddress, isLoopback } from "../base";
import type { Settings } from "../config";
import type { SignInMethod } from "../identity";

/** Why people cannot sign in by this method, with what to do; undefined: they can. */
export function signInFault(method: SignInMethod, settings: Settings, publicUrl: string): string | undefined {
  if (method === "oidc") return openIdFault(settings);
  if (method === "proxy") return proxyFault(settings);
  return method === "passkey" ? passkeyFault(publicUrl) : undefined;
}

/** Whether browsers can use passkeys at this address: they need a host name, and https or this machine. */
export function canUsePasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  // On loopback, our pages use `localhost`.
  if (isLoopback(hostname)) return true;
  return protocol === "https:" && !isIpAddress(hostname);
}

/** What people should know about a method that works. */
export function signInNote(method: SignInMethod, publicUrl: string): string | undefined {
  if (method !== "passkey" || canUsePasskeys(publicUrl)) return undefined;
  return "public_url is an IP address, so passkeys cannot work. People sign in with one-time links: runtime users invite USER";
}

function openIdFault({ "auth.url": url, "auth.client_id": client }: Settings): string | undefined {
  const missing = [
    ...(url === undefined ? ["auth.url"] : []),
    ...(client === undefined ? ["auth.client_id"] : []),
  ];
  if (missing.length === 0) return undefined;
  return `sign_in is oidc, but ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set. Set ${
    missing.length === 1 ? "it" : "them"
  } to the OpenID provider and to our client there.`;
}

function proxyFault({ "http.trusted_proxies": proxies }: Settings): string | undefined {
  if (proxies.length > 0) return undefined;
  return (
    "sign_in is proxy, but http.trusted_proxies is empty, so no proxy may name people. " +
    "Set http.trusted_proxies (RUNTIME_HTTP_TRUSTED_PROXIES) to the address of the proxy."
  );
}

function passkeyFault(publicUrl: string): string | undefined {
  // With an address, one-time links work.
  if (canUsePasskeys(publicUrl) || isIpAddress(new URL(publicUrl).hostname)) return undefined;
  return (
    "sign_in is passkey, but public_url is plain http, and browsers have passkeys over https only. " +
    "Set public_url (RUNTIME_PUBLIC_URL) to an https address."
  );
}
