// Access tokens like those of the provider, each with one fault.
import { type JwtParts, newSigningKey, signed, signedWithHmac, type SigningKey, unsigned } from "./keys";

export interface Issuer {
  readonly url: string;
  /** The current signing key. */
  readonly key: SigningKey;
}

/** An access token (RFC 9068) like the provider's token for alice, with changes. */
export function accessToken(issuer: Issuer, audience: unknown, changes: Partial<JwtParts> = {}): JwtParts {
  const now = Math.floor(Date.now() / 1000);
  return {
    header: { typ: "at+jwt", alg: "ES256", kid: issuer.key.kid, ...changes.header },
    claims: {
      iss: issuer.url,
      sub: "alice",
      aud: audience,
      client_id: "app",
      jti: crypto.randomUUID(),
      iat: now,
      exp: now + 3600,
      ...changes.claims,
    },
  };
}

/** The same, signed by the provider's own key. */
export function issued(issuer: Issuer, audience: unknown, claims: JwtParts["claims"] = {}): string {
  return signed(accessToken(issuer, audience, { claims }), issuer.key);
}

/** Tokens that must be refused, by fault. */
export function forgeries(issuer: Issuer, audience: string): [string, string][] {
  const { key } = issuer;
  const stranger = newSigningKey();
  const token = (changes: Partial<JwtParts>): JwtParts => accessToken(issuer, audience, changes);
  const good = signed(token({}), key);
  const [header = "", , signature = ""] = good.split(".");
  const [, otherClaims = ""] = signed(token({ claims: { sub: "mallory" } }), key).split(".");
  const hmac = token({ header: { alg: "HS256" } });
  const without = (claim: string): string => signed(token({ claims: { [claim]: undefined } }), key);
  return [
    ["alg none without signature", unsigned(token({ header: { alg: "none" } }))],
    ["alg none with a signature", unsigned(token({ header: { alg: "none" } }), signature)],
    ["alg none with other capitals", unsigned(token({ header: { alg: "nOnE" } }), signature)],
    ["HS256 with the public key in PEM", signedWithHmac(hmac, key.pem)],
    ["HS256 with the public key as JWK", signedWithHmac(hmac, JSON.stringify(key.publicJwk))],
    ["HS256 with an empty secret", signedWithHmac(hmac, "")],
    ["a stranger's key under the provider's key id", signed(token({}), stranger)],
    ["a stranger's key under its own id", signed(token({ header: { kid: stranger.kid } }), stranger)],
    [
      "a stranger's key in the header",
      signed(token({ header: { kid: stranger.kid, jwk: stranger.publicJwk } }), stranger),
    ],
    [
      "a stranger's key set that the header refers to",
      signed(token({ header: { kid: stranger.kid, jku: "http://127.0.0.1:9/jwks" } }), stranger),
    ],
    ["claims of another token under this signature", `${header}.${otherClaims}.${signature}`],
    ["the wrong issuer", signed(token({ claims: { iss: "https://idp.example" } }), key)],
    ["the issuer with an extra slash", signed(token({ claims: { iss: `${issuer.url}/` } }), key)],
    ["the type of an ID token", signed(token({ header: { typ: "JWT" } }), key)],
    ["no type", signed(token({ header: { typ: undefined } }), key)],
    ["a critical extension", signed(token({ header: { crit: ["exp"] } }), key)],
    ["no issuer", without("iss")],
    ["no audience", without("aud")],
    ["an empty list of audiences", signed(token({ claims: { aud: [] } }), key)],
    ["no end", without("exp")],
    ["no subject", without("sub")],
    ["an expiry as text", signed(token({ claims: { exp: "4102444800" } }), key)],
    ["a missing proof of possession", signed(token({ claims: { cnf: { jkt: "x" } } }), key)],
    ["a fourth part", `${good}.x`],
    ["claims that are not JSON", `${header}.e30x.${signature}`],
  ];
}
