// Whom a request came through (MCP, "Security Warning" of the transport): a page that has its name resolve to our
// address (DNS rebinding) shows itself by `Host` and `Origin`. Looked at before anything else.
import type { Core } from "../../src/core";
import { forbidden } from "../../src/errors";

const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/** Throws `forbidden` for a host that is none of ours, and for pages of other origins. */
export function checkOrigin({ settings, publicUrl }: Core, headers: Headers): void {
  const host = hostOf(headers.get("host") ?? "");
  const own = new URL(publicUrl());
  // A bare address is no name that somebody could have made to lead here.
  const known =
    host === "" ||
    IP_ADDRESS.test(host) ||
    LOOPBACK.test(host) ||
    host === own.hostname ||
    settings["mcp.allowed_hosts"].some((name) => name.toLowerCase() === host);
  if (!known) {
    throw forbidden(
      "MCP clients do not reach this server under this host name. Use that of public_url, or add it to mcp.allowed_hosts.",
    );
  }
  const origin = headers.get("origin");
  if (origin === null || origin === own.origin) return;
  const allowed = settings["cors.allow"].some(
    (one) => one === "*" || one.toLowerCase() === origin.toLowerCase(),
  );
  const page = URL.parse(origin);
  // On a developer's own machine its pages are the developer's.
  const local = page !== null && LOOPBACK.test(page.hostname) && LOOPBACK.test(own.hostname);
  if (!allowed && !local) {
    throw forbidden("Pages of this origin may not call MCP addresses. Add it to cors.allow.");
  }
}

function hostOf(header: string): string {
  return header.trim().toLowerCase().replace(/:\d+$/, "");
}
