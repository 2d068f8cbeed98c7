// Protection against DNS rebinding (MCP, "Security Warning" of the transport): a page whose name resolves to our address
// is recognized by `Host` and `Origin`. Checked before anything else.
import type { Core } from "../../src/core";
import { forbidden } from "../../src/errors";

const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** Throws `forbidden` for the name of another host, and for pages of other origins. */
export function checkOrigin(core: Core, headers: Headers): void {
  const host = (headers.get("host") ?? "").trim().toLowerCase().replace(/:\d+$/, "");
  // An IP address cannot be rebound.
  if (host !== "" && !IP_ADDRESS.test(host) && !LOOPBACK.test(host)) checkHost(core, host);
  const origin = headers.get("origin");
  if (origin !== null) checkPage(core, origin.toLowerCase());
}

function checkHost({ settings, publicUrl }: Core, host: string): void {
  const names = [new URL(publicUrl()).hostname, ...settings["mcp.allowed_hosts"]];
  if (names.some((name) => name.toLowerCase() === host)) return;
  throw forbidden(
    "This host name is not allowed for MCP. Use the one of public_url, or add it to mcp.allowed_hosts.",
  );
}

function checkPage(core: Core, origin: string): void {
  const { "cors.allow": allow } = core.settings;
  if (allow.some((one) => one === "*" || one.toLowerCase() === origin) || isOwnPage(core, origin)) return;
  throw forbidden("Pages of this origin may not call MCP addresses. Add it to cors.allow.");
}

/** Whether a page is one of `public_url`, or, on a developer's machine, of any local server: those are the developer's. */
export function isOwnPage({ publicUrl }: Core, origin: string): boolean {
  const own = new URL(publicUrl());
  if (origin.toLowerCase() === own.origin) return true;
  const page = URL.parse(origin);
  return page !== null && LOOPBACK.test(page.hostname) && LOOPBACK.test(own.hostname);
}
