// The metadata of a worker as a protected resource (RFC 9728): which authorization server it trusts, and its scopes.
import { documentAt, type Get, shown } from "./documents";
import { OAuthFailure } from "./failure";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const MAX_SCOPES = 200;
const MAX_SCOPE_CHARACTERS = 500;

export interface ProtectedResource {
  /** The resource as its metadata spells it. */
  resource: string;
  authorizationServers: string[];
  scopes: string[] | undefined;
}

/**
 * The metadata of a worker; undefined if it publishes none. `named`: the address in its challenge. Throws `OAuthFailure`,
 * also if the metadata is that of another resource.
 */
export async function protectedResource(
  get: Get,
  uri: string,
  named: string | undefined,
): Promise<ProtectedResource | undefined> {
  for (const address of addressesOf(uri, named)) {
    const document = await documentAt(get, address);
    // An answer for everything is not the metadata.
    if (document === undefined || !("resource" in document || "authorization_servers" in document)) continue;
    return parsed(document, uri, address);
  }
  return undefined;
}

/** RFC 9728, section 3.1: the well-known part is between host and path. Servers for a whole host publish it without path. */
function addressesOf(uri: string, named: string | undefined): string[] {
  const { origin, pathname, search } = new URL(uri);
  const path = pathname === "/" ? "" : pathname;
  const own = [`${origin}${WELL_KNOWN}${path}${search}`, `${origin}${WELL_KNOWN}`];
  return [...new Set(named === undefined ? own : [named, ...own])];
}

function parsed(
  document: Readonly<Record<string, unknown>>,
  uri: string,
  address: string,
): ProtectedResource {
  const { resource, authorization_servers: servers = [], scopes_supported: scopes } = document;
  if (typeof resource !== "string" || !isListOfTexts(servers))
    throw new OAuthFailure("invalid_metadata", `The metadata at ${shown(address)} is not valid (RFC 9728).`);
  if (!isResourceOf(resource, uri)) {
    throw new OAuthFailure(
      "other_resource",
      `The metadata at ${shown(address)} is that of another resource: "${shown(resource)}", not "${uri}". ` +
        "Use the address of the worker that its metadata names, or have its operator correct the metadata.",
    );
  }
  return { resource, authorizationServers: servers, scopes: scopesIn(scopes) };
}

/** Whether `resource` is the address of a worker, or a prefix of it (whole segments) at the same origin. */
export function isResourceOf(resource: string, uri: string): boolean {
  const [named, own] = [URL.parse(resource), new URL(uri)];
  if (named === null || named.origin !== own.origin || named.hash !== "" || resource.includes("#"))
    return false;
  if (named.username !== "" || named.password !== "") return false;
  if (named.search !== "" && named.search !== own.search) return false;
  const [prefix, path] = [named, own].map(({ pathname }) => pathname.replace(/\/$/, ""));
  return path === prefix || path?.startsWith(`${prefix}/`) === true;
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= 100 && value.every((item) => typeof item === "string");
}

/** Undefined if there is no list. What cannot be a scope (RFC 6749, section 3.3) is left out. */
export function scopesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const scopes = value.filter(
    (scope): scope is string =>
      typeof scope === "string" &&
      scope.length <= MAX_SCOPE_CHARACTERS &&
      /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope),
  );
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}
