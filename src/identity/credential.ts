// The credential of a request.
import { prefixOfKeyLike } from "../crypto";
import { invalidAuthorization } from "../errors";

/** The part of a presented API key that may be shown; undefined if the credential is not meant as one. */
export function keyPrefixOf(header: string): string | undefined {
  return prefixOfKeyLike(header.trim().replace(/^bearer\s+/i, ""));
}

/** The credential of an `Authorization` header, with or without `Bearer`. Throws `invalid_authorization`. */
export function credentialOf(header: string | undefined): string {
  if (header === undefined || header.trim() === "")
    throw invalidAuthorization("Missing Authorization header");
  return header.trim().replace(/^bearer\s+/i, "");
}

/**
 * Whether a request has a token, right or wrong. One without it, or with another scheme, gets no error code: its client
 * only learns how to get a token (RFC 6750, section 3).
 */
export function hasToken(credential: string | undefined): boolean {
  const [scheme = "", ...rest] = (credential ?? "").trim().split(/\s+/);
  const isBearer = /^bearer$/i.test(scheme);
  // A token without a scheme is accepted, too.
  return isBearer ? rest.length > 0 : scheme !== "" && rest.length === 0;
}
