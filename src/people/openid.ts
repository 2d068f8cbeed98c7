// Our client at the OpenID provider of `auth.url`: where people sign in, and what the provider says about them.
import * as oauth from "oauth4webapi";
import { isObject } from "../base";
import type { Core } from "../core";
import type { EgressRequest } from "../egress";
import type { OpenIdIssuer } from "../identity";

/** Clocks of two machines differ a little. */
const TOLERANCE_S = 30;

export type Claims = Readonly<Record<string, unknown>>;

/** The tokens with which the provider is asked again. */
export interface ProviderTokens {
  access: string;
  refresh?: string | undefined;
}

export interface Answer {
  /** Of the ID token; undefined if a refresh gave none. */
  claims: Claims | undefined;
  tokens: ProviderTokens;
}

/** The answer to a refresh: the provider has replaced the earlier tokens, whatever else is in it. */
export interface Refreshed extends Answer {
  /** Why the ID token cannot be believed. */
  fault?: unknown;
}

export interface AuthorizationRequest {
  redirectUri: string;
  scope: string;
  state: string;
  nonce: string;
  verifier: string;
  /** Whether the provider must ask who it is, even if the person is signed in there. */
  again: boolean;
}

export class OpenIdClient {
  readonly #core: Core;
  readonly #issuer: OpenIdIssuer;

  constructor(core: Core, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#issuer = issuer;
  }

  /** Whether the provider gives refresh tokens to those who ask for `offline_access`. Rejects if it cannot be reached. */
  async givesRefreshTokens(): Promise<boolean> {
    const { scopes_supported: scopes = [] } = await this.#issuer.discover();
    return scopes.includes("offline_access");
  }

  /** Where the browser signs in. Rejects if the provider cannot be reached. */
  async address(request: AuthorizationRequest): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#issuer.discover();
    if (endpoint === undefined)
      throw new Error("The metadata of the provider has no authorization_endpoint.");
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.#client().client_id,
      redirect_uri: request.redirectUri,
      response_type: "code",
      scope: request.scope,
      state: request.state,
      nonce: request.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: "S256",
      ...(request.again ? { prompt: "login" } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Exchanges the code of a callback, and checks the ID token. Rejects if anything does not match. */
  async exchange(
    query: URLSearchParams,
    { redirectUri, state, nonce, verifier }: Omit<AuthorizationRequest, "scope" | "again">,
  ): Promise<Answer & { claims: Claims & { sub: string } }> {
    const server = await this.#server();
    const client = this.#client();
    const options = this.#issuer.options();
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      this.#authentication(server),
      oauth.validateAuthResponse(server, client, query, state),
      redirectUri,
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true } as const;
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new Error("The provider gave no ID token.");
    return { claims, tokens: { access: tokens.access_token, refresh: tokens.refresh_token } };
  }

  /** Claims that are only available there (OpenID Connect Core 1.0, section 5.4); undefined: the provider has no such endpoint. */
  async userInfo(accessToken: string, subject: string): Promise<Claims | undefined> {
    const server = await this.#server();
    if (server.userinfo_endpoint === undefined) return undefined;
    const client = this.#client();
    const response = await oauth.userInfoRequest(server, client, accessToken, this.#issuer.options());
    return oauth.processUserInfoResponse(server, client, subject, response);
  }

  /**
   * New tokens, also if the ID token that comes with them cannot be checked. Rejects if there are none, and if the ID token is
   * that of another person. `fence`: called just before the request is sent; if it rejects, nothing is sent.
   */
  async refresh(refreshToken: string, subject: string, fence: EgressRequest["fence"]): Promise<Refreshed> {
    const server = await this.#server();
    const client = this.#client();
    const sent = await oauth.refreshTokenGrantRequest(
      server,
      client,
      this.#authentication(server),
      refreshToken,
      this.#issuer.options(fence),
    );
    const text = await sent.text();
    const response = new Response(text, sent);
    let claims: Claims | undefined;
    try {
      const answer = await oauth.processRefreshTokenResponse(server, client, response);
      claims = oauth.getValidatedIdTokenClaims(answer);
      if (claims !== undefined)
        await oauth.validateApplicationLevelSignature(server, response, this.#issuer.options());
    } catch (fault) {
      const tokens = sent.status === 200 ? tokensIn(text, refreshToken) : undefined;
      if (tokens === undefined) throw fault;
      return { claims: undefined, tokens, fault };
    }
    if (claims !== undefined && claims["sub"] !== subject)
      throw new Error("The refreshed ID token is that of another person.");
    const tokens = tokensIn(text, refreshToken);
    if (tokens === undefined) throw new Error("The answer of the provider has no tokens.");
    return { claims, tokens };
  }

  // The library caches keys on this object. A copy makes it load the current ones.
  async #server(): Promise<oauth.AuthorizationServer> {
    return { ...(await this.#issuer.discover()) };
  }

  #client(): oauth.Client {
    const { settings, clock } = this.#core;
    return {
      client_id: settings["auth.client_id"] ?? "",
      [oauth.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
    };
  }

  /** The provider's method; `client_secret_basic` is the default (OpenID Connect Discovery 1.0, section 3). */
  #authentication(server: oauth.AuthorizationServer): oauth.ClientAuth {
    const secret = this.#core.clientSecret;
    if (secret === undefined) return oauth.None();
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return methods.includes("client_secret_basic")
      ? oauth.ClientSecretBasic(secret.reveal())
      : oauth.ClientSecretPost(secret.reveal());
  }
}

function tokensIn(text: string, former: string): ProviderTokens | undefined {
  const answer = parsed(text);
  if (!isObject(answer)) return undefined;
  const { access_token: access, refresh_token: refresh = former } = answer;
  return typeof access === "string" && typeof refresh === "string" ? { access, refresh } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
