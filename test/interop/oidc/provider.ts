// A certified OpenID provider (`oidc-provider`) on loopback, in this process: PKCE required, resource indicators that
// give JWT access tokens (RFC 9068), rotated refresh tokens, `iss` in its answers (RFC 9207), keys that can be changed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider } from "oidc-provider";
import type { Issuer } from "./forge";
import { newSigningKey, type SigningKey } from "./keys";

export interface Client {
  readonly id: string;
  /** Absent for a public client. */
  readonly secret?: string;
  /** If set, it signs assertions with this key (`private_key_jwt`). */
  readonly publicJwk?: object;
  readonly redirectUris: string[];
}

export interface Account {
  email?: string;
  email_verified?: boolean;
  groups?: readonly string[];
}

export interface OpenIdProvider extends Issuer, AsyncDisposable {
  /** Its real address, whatever its metadata contains. */
  readonly address: string;
  /** While true, every connection breaks. */
  down: boolean;
  /** Paths that break, as with `down`. */
  readonly broken: Set<string>;
  /** Answers are sent after this. */
  slow: Promise<void> | undefined;
  /** Paths of the requests, in the order of arrival. */
  readonly requests: string[];
  /** Adds a client. */
  register(client: Client): void;
  /** Signs with a new key; earlier ones stay published or are removed. */
  rotate(earlier: "kept" | "removed"): void;
}

export interface ProviderOptions {
  /** Claims of people by name. Others can sign in too, with a name only. */
  accounts?: Readonly<Record<string, Account>>;
  /** Authentication method of clients with a secret. Default: `client_secret_basic`. */
  clientAuthentication?: "client_secret_basic" | "client_secret_post";
  /** Every client gets refresh tokens, and ID tokens have all claims, as at many providers of companies. */
  isGenerous?: true;
  /** Scopes in addition to those of the standard. */
  scopes?: readonly string[];
  /** Anybody may register a client (RFC 7591). */
  registration?: boolean;
  /** Scope of the tokens for a resource (RFC 8707). */
  resourceScope?: string;
  /** Path of the issuer. Default: none. */
  path?: string;
  /** The issuer in the metadata, if it differs from the address. */
  claimedIssuer?: string;
  /** The issuer is the address and a slash. */
  issuerSlash?: true;
  /** The metadata is only where RFC 8414 says: `oauth-authorization-server`. */
  metadata?: "oauth";
}

/** The public client for tests that get tokens directly. */
export const APP: Client = { id: "app", redirectUris: ["http://127.0.0.1/signed-in"] };

export async function startOpenIdProvider(options: ProviderOptions = {}): Promise<OpenIdProvider> {
  const clients = [APP];
  let keys = [newSigningKey()];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push((request.url ?? "").split("?")[0] ?? "");
    if (provider.down || provider.broken.has(requests.at(-1) ?? "")) return void request.socket.destroy();
    if (options.metadata === "oauth") useOAuthDocument(request);
    const go = (): void => handle(mounted(request, options.path ?? ""), response);
    if (provider.slow === undefined) go();
    else void provider.slow.then(go);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const place = `http://127.0.0.1:${port}${options.path ?? ""}`;
  const url = options.claimedIssuer ?? (options.issuerSlash === true ? `${place}/` : place);
  // Clients and keys are fixed when a provider is made; sessions and codes are stored outside and stay.
  const remake = (): void => {
    handle = quietly(() => new Provider(url, configuration(clients, keys, options)).callback());
  };
  const provider: OpenIdProvider = {
    down: false,
    broken: new Set(),
    slow: undefined,
    address: place,
    url,
    requests,
    get key() {
      return keys[0] as SigningKey;
    },
    register: (client) => {
      clients.push(client);
      remake();
    },
    rotate: (earlier) => {
      keys = [newSigningKey(), ...(earlier === "kept" ? keys : [])];
      remake();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  remake();
  return provider;
}

// Its routes do not include the mount path; the full address does (as in Connect and Express).
function mounted(request: IncomingMessage, path: string): IncomingMessage {
  const { url = "" } = request;
  return Object.assign(request, { originalUrl: url, url: url.slice(path.length) });
}

function useOAuthDocument(request: IncomingMessage): void {
  const openId = "/.well-known/openid-configuration";
  if (request.url === openId) request.url = "/nothing";
  else if (request.url === "/.well-known/oauth-authorization-server") request.url = openId;
}

function configuration(
  clients: readonly Client[],
  keys: readonly SigningKey[],
  { accounts = {}, clientAuthentication = "client_secret_basic", scopes = [], ...more }: ProviderOptions,
): object {
  return {
    clients: clients.map((client) => clientMetadata(client, clientAuthentication)),
    clientAuthMethods: [clientAuthentication, "private_key_jwt", "none"],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    cookies: { keys: ["for tests only"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
    ...(more.isGenerous === true ? { conformIdTokenClaims: false, issueRefreshToken: () => true } : {}),
    scopes: ["openid", "offline_access", ...scopes],
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      IdToken: 3600,
      Grant: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts[sub] }),
    }),
    // Profiles such as RFC 9068 section 2.2.2 put claims of the person into access tokens.
    extraTokenClaims: (_context: unknown, token: { accountId: string }) => accounts[token.accountId],
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: more.registration === true },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => false,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: more.resourceScope ?? "",
          audience,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

function clientMetadata({ id, secret, publicJwk, redirectUris }: Client, authentication: string): object {
  return {
    client_id: id,
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    ...authenticationOf(secret, publicJwk, authentication),
  };
}

function authenticationOf(secret: string | undefined, jwk: object | undefined, method: string): object {
  if (jwk !== undefined) return { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] } };
  return secret === undefined
    ? { application_type: "native", token_endpoint_auth_method: "none" }
    : { client_secret: secret, token_endpoint_auth_method: method };
}

// Suppresses its console warning about development pages.
function quietly<T>(make: () => T): T {
  const { info, warn } = console;
  console.info = console.warn = () => undefined;
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
