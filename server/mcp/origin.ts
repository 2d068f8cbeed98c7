// Whom a request came through (MCP, "Security Warning" of the transport): a page that has its name resolve to our
// address (DNS rebinding) shows itself by `Host` and `Origin`. Looked at before anything else.
import type { Core } from "../../src/core";
import { forbidden } from "../../src/errors";

const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** Throws `forbidden` for a host that is none of ours, and for pages of other origins. */
export function checkOrigin(core: Core, headers: Headers): void {
  const host = (headers.get("host") ?? "").trim().toLowerCase().replace(/:\d+$/, "");
  // A bare address is no name that somebody could have made to lead here.
  if (host !== "" && !IP_ADDRESS.test(host) && !LOOPBACK.test(host)) checkHost(core, host);
  const origin = headers.get("origin");
  if (origin !== null) checkPage(core, origin.toLowerCase());
}

function checkHost({ settings, publicUrl }: Core, host: string): void {
  const names = [new URL(publicUrl()).hostname, ...settings["mcp.allowed_hosts"]];
  if (names.some((name) => name.toLowerCase() === host)) return;
  throw forbidden(
    "MCP clients do not reach this server under this host name. Use that of public_url, or add it to mcp.allowed_hosts.",
  );
}

function checkPage({ settings, publicUrl }: Core, origin: string): void {
  const own = new URL(publicUrl());
  const allowed = [own.origin, ...settings["cors.allow"]];
  if (allowed.some((one) => one === "*" || one.toLowerCase() === origin)) return;
  const page = URL.parse(origin);
  // On a developer's own machine its pages are the developer's.
  if (page !== null && LOOPBACK.test(page.hostname) && LOOPBACK.test(own.hostname)) return;
  throw forbidden("Pages of this origin may not call MCP addresses. Add it to cors.allow.");
}
