// Check (a): the browser signs in at the OpenID provider at `auth_url` (code flow with PKCE and nonce), and that user
// must be the flow's user.
import * as oauth from "oauth4webapi";
import type { Actor } from "../audit";
import type { Core } from "../core";
import { hashOf, newToken } from "../crypto";
import { type OpenIdIssuer, userOfClaims } from "../identity";
import { checkBrowser, parseCallback } from "./callback/checks";
import type { Finish } from "./finish";
import { browserOf, openExchange, OTHER_USER, sealExchange } from "./flow";
import { type Outcome, UNKNOWN_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";

/** Clocks of two machines differ a little. */
const TOLERANCE_S = 30;

export class SignIn {
  readonly #core: Core;
  readonly #finish: Finish;
  readonly #issuer: OpenIdIssuer;

  constructor(core: Core, finish: Finish, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#finish = finish;
    this.#issuer = issuer;
  }

  /** Redirects the browser to the sign-in. The flow gets a new state, because that of the provider is used. */
  async start(flow: FlowRow, by: Actor): Promise<Outcome> {
    const { store, random, settings, log } = this.#core;
    const server = await this.#issuer.discover().catch((error: unknown) => {
      log.warn("the OpenID provider cannot be reached", { error });
      return undefined;
    });
    if (server?.authorization_endpoint === undefined) {
      return this.#finish.fail(
        flow,
        "the OpenID provider where users sign in cannot be reached; try again later",
        by,
      );
    }
    const verifier = oauth.generateRandomCodeVerifier();
    const exchange = { state: newToken(random), verifier, nonce: newToken(random) };
    const sealed = await sealExchange(this.#core, flow, exchange);
    if (!(await store.write(() => repository.replaceState(flow, hashOf(exchange.state), sealed))))
      return UNKNOWN_STATE;
    const url = new URL(server.authorization_endpoint);
    const parameters = {
      client_id: settings["auth.client_id"] ?? "",
      redirect_uri: this.#redirectUri(),
      response_type: "code",
      scope: settings["auth.user_claim"] === "email" ? "openid email" : "openid",
      state: exchange.state,
      nonce: exchange.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { kind: "redirect", location: url.href };
  }

  /** The callback of the sign-in. */
  async callback(query: URLSearchParams, cookie: string | undefined, address?: string): Promise<Outcome> {
    const parameters = parseCallback(query);
    if (!("state" in parameters)) return parameters;
    const { store, log } = this.#core;
    const flow = await repository.findFlowByState(store, hashOf(parameters.state));
    if (flow === undefined || flow.sealed_grant === null) return UNKNOWN_STATE;
    const stopped = checkBrowser(flow, cookie) ?? this.#finish.ended(flow);
    if (stopped !== undefined) return stopped;
    const exchange = await openExchange(this.#core, flow);
    if (exchange?.nonce === undefined || exchange.verifier === null) return UNKNOWN_STATE;
    if (!(await store.write(() => repository.clearState(flow)))) return UNKNOWN_STATE;
    const by = browserOf(flow, address);
    let user: string | undefined;
    try {
      user = await this.#user(parameters.all, exchange.state, exchange.verifier, exchange.nonce);
    } catch (error) {
      log.warn("sign-in failed", { authorization: flow.id, error });
      return this.#finish.fail(flow, "the sign-in failed", by);
    }
    if (user !== flow.user_id) {
      return this.#finish.fail(flow, OTHER_USER, by);
    }
    return this.#finish.completeHeld(flow, by);
  }

  async #user(
    query: URLSearchParams,
    state: string,
    verifier: string,
    nonce: string,
  ): Promise<string | undefined> {
    // The library caches keys on this object. A copy makes it load the current ones.
    const server = { ...(await this.#issuer.discover()) };
    const client = this.#client();
    const options = this.#issuer.options();
    const answer = oauth.validateAuthResponse(server, client, query, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      this.#authentication(server),
      answer,
      this.#redirectUri(),
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true } as const;
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const claim = this.#core.settings["auth.user_claim"];
    const user = claims === undefined ? undefined : userOfClaims(claims, claim);
    if (user !== undefined || claims === undefined || server.userinfo_endpoint === undefined) return user;
    // Claims of scopes such as `email` may only be available there (OpenID Connect Core, section 5.4).
    const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    return userOfClaims(await oauth.processUserInfoResponse(server, client, claims.sub, userInfo), claim);
  }

  #client(): oauth.Client {
    const { settings, clock } = this.#core;
    return {
      client_id: settings["auth.client_id"] ?? "",
      [oauth.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
    };
  }

  /** The provider's method; `client_secret_basic` is the default (OpenID Connect Discovery, section 3). */
  #authentication(server: oauth.AuthorizationServer): oauth.ClientAuth {
    const secret = this.#core.clientSecret;
    if (secret === undefined) return oauth.None();
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return methods.includes("client_secret_basic")
      ? oauth.ClientSecretBasic(secret.reveal())
      : oauth.ClientSecretPost(secret.reveal());
  }

  #redirectUri(): string {
    return `${this.#core.publicUrl()}/api/v1/auth/callback`;
  }
}
