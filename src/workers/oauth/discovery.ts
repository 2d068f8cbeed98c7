// Finds out how users consent to a worker: from its challenge to the metadata of its authorization server (authorization
// specification of MCP).
import { isSameIssuer } from "../../authorization-server";
import type { Core } from "../../core";
import { parseChallenge } from "./challenge";
import { type Get, getFor } from "./documents";
import { type Issuer, issuerAt, issuerOfOrigin } from "./issuer";
import { type ProtectedResource, protectedResource, scopesIn } from "./protected-resource";

export interface DiscoveryRequest {
  projectId: string;
  /** The address of the worker. */
  uri: string;
  /** `WWW-Authenticate` of its 401. */
  challenge?: string | undefined;
  /** Where the metadata of the resource is, if no challenge says it. */
  resourceMetadata?: string | undefined;
  /** What an administrator has set: the address of the authorization server, and the issuer of its metadata. */
  authorizationUrl?: string | undefined;
  issuer?: string | undefined;
}

export interface Discovered extends Issuer {
  /** The value of `resource` (RFC 8707). */
  resource: string;
  /** The scopes that the worker has asked for. */
  needed: string[];
  /** All scopes to request: those that are needed, and those that make the grant last. */
  scopes: string[];
  /** `scopes_supported` of the resource. */
  supportedScopes: string[];
}

/** Throws `OAuthFailure`. */
export async function discover(core: Pick<Core, "egress">, request: DiscoveryRequest): Promise<Discovered> {
  const get = getFor(core, request.projectId);
  const challenge = parseChallenge(request.challenge);
  const found = await protectedResource(
    get,
    request.uri,
    challenge.resourceMetadata ?? request.resourceMetadata,
  );
  const issuer = await issuerOf(get, request, found);
  const asked = scopesIn(challenge.scopes);
  const wanted = asked ?? found?.scopes ?? [];
  const lists = issuer.server.scopes_supported;
  const lasting = Array.isArray(lists) && lists.includes("offline_access") ? ["offline_access"] : [];
  return {
    ...issuer,
    resource: found?.resource ?? canonicalAddress(request.uri),
    needed: asked ?? [],
    scopes: [...new Set([...wanted, ...lasting])],
    supportedScopes: found?.scopes ?? [],
  };
}

/** What an administrator has set comes before what the worker says. */
async function issuerOf(
  get: Get,
  { uri, authorizationUrl, issuer }: DiscoveryRequest,
  found: ProtectedResource | undefined,
): Promise<Issuer> {
  if (authorizationUrl !== undefined) return issuerAt(get, authorizationUrl, issuer);
  const servers = found?.authorizationServers ?? [];
  const named = issuer === undefined ? undefined : servers.find((server) => isSameIssuer(server, issuer));
  const first = named ?? servers[0];
  const { origin } = new URL(uri);
  return first === undefined ? issuerOfOrigin(get, origin, issuer) : issuerAt(get, first, issuer);
}

/** The address of a worker as a resource: without fragment, and without the slash of an empty path. */
export function canonicalAddress(uri: string): string {
  const { origin, pathname, search } = new URL(uri);
  return `${origin}${pathname === "/" ? "" : pathname}${search}`;
}
