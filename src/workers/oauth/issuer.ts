// The authorization server of a worker: its metadata (RFC 8414, OpenID Connect Discovery), and what must be true of it.
import type * as oauth from "oauth4webapi";
import { isSameIssuer, loadMetadata, MetadataError, mcpMetadataAddresses } from "../../authorization-server";
import { type Get, shown, unreachable } from "./documents";
import { OAuthFailure } from "./failure";

/** Bytes. Registrations are found by project, worker and issuer; an entry of an index has at most about 2,700 in PostgreSQL. */
const MAX_ISSUER = 2000;

/** An authorization server with both endpoints. */
export interface Issuer {
  /** As its metadata spells it. */
  issuer: string;
  server: oauth.AuthorizationServer & { authorization_endpoint: string; token_endpoint: string };
  warnings: string[];
}

/**
 * The metadata at `address`. `issuer`: whose it may be, if an administrator has said so knowingly; otherwise it must be that
 * of the address (RFC 8414, section 3.3). Throws `OAuthFailure`.
 */
export async function issuerAt(get: Get, address: string, issuer: string = address): Promise<Issuer> {
  checkAddress(address);
  try {
    const belongs = (server: oauth.AuthorizationServer): boolean => isSameIssuer(server.issuer, issuer);
    const { metadata } = await loadMetadata(address, get, belongs, mcpMetadataAddresses(address));
    return checked(metadata);
  } catch (error) {
    if (!(error instanceof MetadataError)) throw unreachable(address, error);
    throw metadataFailure(error, issuer);
  }
}

/**
 * The server of a worker without metadata, as the revision 2025-03-26 says: metadata at the origin of the worker, otherwise
 * fixed paths there.
 */
export async function issuerOfOrigin(get: Get, origin: string, issuer?: string): Promise<Issuer> {
  try {
    return await issuerAt(get, origin, issuer);
  } catch (error) {
    if (issuer !== undefined || !(error instanceof OAuthFailure) || error.reason !== "no_metadata")
      throw error;
  }
  return checked({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  });
}

function checkAddress(address: string): void {
  const url = URL.parse(address);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  const isPlain = isWeb && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isPlain && Buffer.byteLength(address) <= MAX_ISSUER) return;
  throw new OAuthFailure("invalid_metadata", `"${shown(address)}" is not the address of an issuer.`);
}

function metadataFailure({ address, status, issuer: found }: MetadataError, issuer: string): OAuthFailure {
  if (found !== undefined) {
    return new OAuthFailure(
      "other_issuer",
      `The metadata at ${shown(address)} names the issuer "${shown(found)}", but "${shown(issuer)}" was asked. ` +
        "If you know that both are the same authorization server, set mcp.oauth2.issuer to the former.",
    );
  }
  if (status >= 500 || status === 429)
    return new OAuthFailure("unreachable", `${shown(address)} answers ${status}. Try again later.`);
  return new OAuthFailure(
    "no_metadata",
    `The authorization server "${shown(issuer)}" publishes no metadata (${shown(address)} answers ${status}).`,
  );
}

function checked(server: oauth.AuthorizationServer): Issuer {
  const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = server;
  const name = `The metadata of "${shown(server.issuer)}"`;
  if (!isEndpoint(authorization_endpoint) || !isEndpoint(token_endpoint))
    throw new OAuthFailure("invalid_metadata", `${name} has no valid authorization or token endpoint.`);
  if (methods !== undefined && !(Array.isArray(methods) && methods.includes("S256"))) {
    throw new OAuthFailure(
      "no_s256",
      `${name} does not list the code challenge method S256, which consents need. Ask its operator to support PKCE.`,
    );
  }
  const apart = new URL(authorization_endpoint).origin !== new URL(token_endpoint).origin;
  const warnings = [
    ...(methods === undefined ? [`${name} does not say whether PKCE is supported.`] : []),
    ...(apart ? [`${name} has the authorization and the token endpoint at different origins.`] : []),
  ];
  return { issuer: server.issuer, server: { ...server, authorization_endpoint, token_endpoint }, warnings };
}

/** Endpoints become templates of an auth provider, so they must not contain braces. */
export function isEndpoint(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 1000 || /[{}#]/.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === "";
}
