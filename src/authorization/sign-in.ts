// Check (a): the browser signs in at the OpenID provider at `auth_url` (code flow with PKCE and nonce), and that user
// must be the flow's.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { hashOf, newToken } from "../crypto";
import { type OpenIdIssuer, userOfClaims } from "../identity";
import { sameBrowser, wellFormed } from "./callback/checks";
import { openExchange, sealExchange } from "./exchange";
import type { Finish } from "./finish";
import { type Outcome, UNKNOWN_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";

export class SignIn {
  readonly #core: Core;
  readonly #finish: Finish;
  readonly #issuer: OpenIdIssuer;

  constructor(core: Core, finish: Finish, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#finish = finish;
    this.#issuer = issuer;
  }

  /** Sends the browser to sign in. The flow gets a new state: the provider's is used up. */
  async start(flow: FlowRow): Promise<Outcome> {
    const { store, random, settings, log } = this.#core;
    const server = await this.#issuer.discover().catch((error: unknown) => {
      log.warn("the OpenID provider cannot be reached", { error });
      return undefined;
    });
    if (server?.authorization_endpoint === undefined) {
      return this.#finish.fail(flow, "the place where users sign in cannot be reached; try again later");
    }
    const verifier = oauth.generateRandomCodeVerifier();
    const exchange = { state: newToken(random), verifier, nonce: newToken(random) };
    const sealed = await sealExchange(this.#core, flow, exchange);
    if (!(await store.write(() => repository.restate(flow, hashOf(exchange.state), sealed))))
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

  /** The browser comes back from signing in. */
  async callback(query: URLSearchParams, cookie: string | undefined): Promise<Outcome> {
    const parameters = wellFormed(query);
    if (!("state" in parameters)) return parameters;
    const { store, log } = this.#core;
    const flow = await repository.findFlowByState(store, hashOf(parameters.state));
    if (flow === undefined || flow.sealed_grant === null) return UNKNOWN_STATE;
    const stopped = sameBrowser(flow, cookie) ?? this.#finish.ended(flow);
    if (stopped !== undefined) return stopped;
    const exchange = await openExchange(this.#core, flow);
    if (exchange?.nonce === undefined || exchange.verifier === null) return UNKNOWN_STATE;
    if (!(await store.write(() => repository.forgetState(flow)))) return UNKNOWN_STATE;
    let user: string | undefined;
    try {
      user = await this.#user(parameters.all, exchange.state, exchange.verifier, exchange.nonce);
    } catch (error) {
      log.warn("sign-in failed", { authorization: flow.id, error });
      return this.#finish.fail(flow, "signing in did not succeed");
    }
    if (user !== flow.user_id) {
      const reason = "the person who signed in is another user than the one to be linked";
      return this.#finish.fail(flow, reason);
    }
    return this.#finish.completeHeld(flow);
  }

  async #user(
    query: URLSearchParams,
    state: string,
    verifier: string,
    nonce: string,
  ): Promise<string | undefined> {
    const { settings, clientSecret } = this.#core;
    const server = await this.#issuer.discover();
    const client = { client_id: settings["auth.client_id"] ?? "" };
    const auth = clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret.reveal());
    const options = this.#issuer.options();
    const answer = oauth.validateAuthResponse(server, client, query, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      answer,
      this.#redirectUri(),
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true } as const;
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    return userOfClaims(oauth.getValidatedIdTokenClaims(tokens) ?? {}, settings["auth.user_claim"]);
  }

  #redirectUri(): string {
    return `${this.#core.publicUrl()}/api/v1/auth/callback`;
  }
}
