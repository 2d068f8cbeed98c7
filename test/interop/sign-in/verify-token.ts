// Verifies an access token as a resource server of somebody else would: `bun verify-token.ts ISSUER AUDIENCE`, the token on
// standard input. Knows nothing but the metadata. Prints the claims.
import { createRemoteJWKSet, jwtVerify } from "jose";

const [, , issuer = "", audience = ""] = process.argv;
const metadata = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as {
  issuer: string;
  jwks_uri: string;
};
const token = (await Bun.stdin.text()).trim();
const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
  issuer: metadata.issuer,
  audience,
  typ: "at+jwt",
  requiredClaims: ["sub", "client_id", "exp", "iat", "jti", "scope"],
});
process.stdout.write(JSON.stringify(payload));
