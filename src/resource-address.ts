// The addresses of gateways, and of the API of a project, as protected resources (RFC 8707, RFC 9728). A client compares the resource in the metadata
// with the address that it asked, so on loopback the resource is at the name that was asked: `localhost` or an address.
import { isLoopback } from "./base";

export const WELL_KNOWN = "/.well-known/oauth-protected-resource";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** `host`: the `Host` of the request. */
export function resourceAddress(publicUrl: string, slug: string, host: string | undefined): string {
  const url = new URL(publicUrl);
  const asked = askedOrigin(url, host);
  return asked === undefined ? `${publicUrl}/mcp/${slug}` : `${asked}${pathOf(url)}/mcp/${slug}`;
}

/** Where the metadata of a resource is: the well-known part is between host and path (RFC 9728, section 3.1). */
export function metadataAddress(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return origin + WELL_KNOWN + pathname;
}

/** The audiences of tokens for the resource: on loopback, its address under every name of this machine. */
export function resourceAudiences(publicUrl: string, slug: string, host: string | undefined): string[] {
  const url = new URL(publicUrl);
  const own = `${publicUrl}/mcp/${slug}`;
  if (!isLoopback(url.hostname)) return [own];
  const names = [askedOrigin(url, host) ?? url.origin, ...LOOPBACK_NAMES.map((name) => originAt(url, name))];
  return [own, ...names.map((origin) => `${origin}${pathOf(url)}/mcp/${slug}`)];
}

/**
 * Undefined unless the request asked for our own port under another name of this machine. Another port is another
 * resource: a program there could use the tokens that it gets for itself at our address.
 */
function askedOrigin(own: URL, host: string | undefined): string | undefined {
  if (host === undefined || host === own.host || !isLoopback(own.hostname)) return undefined;
  const asked = URL.parse(`${own.protocol}//${host}`);
  if (asked === null || asked.pathname !== "/" || asked.username !== "" || asked.search !== "")
    return undefined;
  return isLoopback(asked.hostname) && asked.port === own.port ? asked.origin : undefined;
}

function originAt({ protocol, port }: URL, name: string): string {
  return `${protocol}//${name}${port === "" ? "" : `:${port}`}`;
}

function pathOf({ pathname }: URL): string {
  return pathname === "/" ? "" : pathname.replace(/\/$/, "");
}

/** The address of the API of a project, for which tokens of its people are issued. */
export function apiAddress(publicUrl: string, { id, org_id }: { id: string; org_id: string }): string {
  return id === "default" ? publicUrl : `${publicUrl}/v1/orgs/${org_id}/projects/${id}`;
}
