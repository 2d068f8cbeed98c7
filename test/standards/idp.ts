// A scripted provider of users: metadata at chosen addresses, keys, and tokens that are signed with them.
import { issued } from "../interop/oidc/forge";
import { newSigningKey, type SigningKey } from "../interop/oidc/keys";

export interface Idp extends AsyncDisposable {
  readonly origin: string;
  /** The issuer, as the metadata spells it. */
  readonly issuer: string;
  readonly key: SigningKey;
  /** Paths of the requests. */
  readonly requests: string[];
  token(audience: unknown, claims?: Record<string, unknown>): string;
}

export interface IdpOptions {
  /** After the origin. Default: nothing. */
  issuer?: string;
  /** Where the metadata is. */
  documents?: readonly string[];
  metadata?: Record<string, unknown>;
}

export const OPENID_DOCUMENT = "/.well-known/openid-configuration";
export const OAUTH_DOCUMENT = "/.well-known/oauth-authorization-server";

export function startIdp({
  issuer = "",
  documents = [OPENID_DOCUMENT],
  metadata = {},
}: IdpOptions = {}): Idp {
  const key = newSigningKey();
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: ({ url }) => {
      const { origin, pathname } = new URL(url);
      requests.push(pathname);
      if (pathname === "/jwks") return Response.json({ keys: [key.publicJwk] });
      if (!documents.includes(pathname)) return new Response("", { status: 404 });
      return Response.json({
        issuer: origin + issuer,
        jwks_uri: `${origin}/jwks`,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        ...metadata,
      });
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    issuer: origin + issuer,
    key,
    requests,
    token: (audience, claims = {}) =>
      issued({ url: origin + issuer, key }, audience, { scope: "mcp", ...claims }),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
