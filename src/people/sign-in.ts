// How a browser becomes that of a person, at the OpenID provider or by the word of a proxy. Passkeys have their own file.
import * as oauth from "oauth4webapi";
import { callerIdFault } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import { type Suspensions, userOfClaims } from "../identity";
import { cleanGroups, type Groups } from "./groups";
import { areGroupsUsed } from "./identity-repository";
import type { Methods } from "./methods";
import type { Claims, OpenIdClient, ProviderTokens } from "./openid";
import type { NewSession, Sessions } from "./sessions";
import { openStarted, sealStarted, type Started } from "./started";

/** Longer than any real code or state. */
const MAX_PARAMETER = 4096;
/** The callback of the sign-in; and that of consents, which providers know from before there was another. */
const CALLBACK = "/sign-in/callback";
const CONSENT_CALLBACK = "/api/v1/auth/callback";

/** What the browser has sent. */
export interface SigningIn {
  /** The secret of the browser, which began the sign-in. */
  browser: string | undefined;
  /** The cookie of the session that ends when another begins. */
  former(projectId: string): string | undefined;
  userAgent?: string | undefined;
  address?: string | undefined;
}

export type SignInOutcome =
  | { kind: "redirect"; location: string }
  | { kind: "signed_in"; projectId: string; cookie: string; to: string }
  /** The sign-in does not work at the moment, or not for this person. `again`: where to try again. */
  | { kind: "failed"; status: 400 | 403 | 503; reason: string; again?: { projectId: string; to: string } }
  /** The state is not one of this browser. */
  | { kind: "unknown_state" };

type User = { userId: string } | { reason: string };

/** What the provider says. `groups`: undefined if nothing uses them. */
interface Told {
  user: User;
  groups: readonly string[] | undefined;
  subject: string;
  tokens: ProviderTokens;
}

interface Parts {
  client: OpenIdClient;
  groups: Groups;
  methods: Methods;
  sessions: Sessions;
  suspensions: Suspensions;
}

export class SignIn {
  readonly #core: Core;
  readonly #parts: Parts;

  constructor(core: Core, parts: Parts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Sends a browser to the OpenID provider. `again`: the provider asks who it is, even if it knows. */
  async start(projectId: string, to: string, browser: string, again = false): Promise<SignInOutcome> {
    const { client } = this.#parts;
    const verifier = oauth.generateRandomCodeVerifier();
    const { state, nonce } = await sealStarted(this.#core, browser, { projectId, to, verifier });
    try {
      const redirectUri = this.#redirectUri(to);
      const scope = await this.#scope();
      const location = await client.address({ redirectUri, scope, state, nonce, verifier, again });
      return { kind: "redirect", location };
    } catch (error) {
      this.#core.log.warn("the OpenID provider cannot be reached", { error });
      const reason = "The OpenID provider where people sign in cannot be reached. Try again later.";
      return { kind: "failed", status: 503, reason, again: { projectId, to } };
    }
  }

  /** The callback of the OpenID provider. */
  async callback(query: URLSearchParams, from: SigningIn): Promise<SignInOutcome> {
    const state = stateIn(query);
    if (state === undefined || from.browser === undefined) return { kind: "unknown_state" };
    const started = await openStarted(this.#core, from.browser, state);
    if (started === undefined) return { kind: "unknown_state" };
    const { projectId, to } = started;
    // The method may have been changed meanwhile.
    if ((await this.#parts.methods.of(projectId)) !== "oidc") return { kind: "unknown_state" };
    const failed = (status: 400 | 403, reason: string): SignInOutcome => ({
      kind: "failed",
      status,
      reason,
      again: { projectId, to },
    });
    let told: Told;
    try {
      told = await this.#exchange(query, state, started);
    } catch (error) {
      this.#core.log.warn("sign-in failed", { error });
      return failed(400, failureOf(query));
    }
    const { user, groups, subject, tokens } = told;
    if ("reason" in user) return failed(403, user.reason);
    const { userId } = user;
    if (groups !== undefined) await this.#parts.groups.put({ projectId, userId, subject, groups, tokens });
    return this.#begin({ projectId, userId, method: "oidc", startedBy: started.nonce }, to, from);
  }

  /** A proxy has named the person. */
  async byProxy(
    projectId: string,
    to: string,
    person: { userId: string; groups: string | undefined },
    from: SigningIn,
  ): Promise<SignInOutcome> {
    const { userId } = person;
    if (person.groups !== undefined) {
      const groups = cleanGroups(person.groups.split(",").map((name) => name.trim()));
      await this.#parts.groups.put({ projectId, userId, subject: "", groups });
    }
    const startedBy = newToken(this.#core.random);
    return this.#begin({ projectId, userId, method: "proxy", startedBy }, to, from);
  }

  async #begin(
    started: Pick<NewSession, "projectId" | "userId" | "method" | "startedBy">,
    to: string,
    { former, userAgent, address }: SigningIn,
  ): Promise<SignInOutcome> {
    const { suspensions, sessions } = this.#parts;
    const { projectId, userId } = started;
    if (await suspensions.has(projectId, userId)) {
      const reason = "You are suspended here. An administrator can end that.";
      return { kind: "failed", status: 403, reason };
    }
    const cookie = await sessions.begin({ ...started, userAgent, address }, former(projectId));
    if (cookie === undefined) return { kind: "unknown_state" };
    return { kind: "signed_in", projectId, cookie, to };
  }

  async #exchange(query: URLSearchParams, state: string, { to, nonce, verifier }: Started): Promise<Told> {
    const { client, groups } = this.#parts;
    const redirectUri = this.#redirectUri(to);
    const { claims, tokens } = await client.exchange(query, { redirectUri, state, nonce, verifier });
    const usesGroups = await this.#usesGroups();
    const [user, named] = [this.#userIn(claims), groups.inClaims(claims)];
    const isComplete = "userId" in user && (named !== undefined || !usesGroups);
    // Each is read from one source as a whole: an address from here and its confirmation from there would prove nothing.
    const more = isComplete ? undefined : await client.userInfo(tokens.access, claims.sub);
    return {
      user: "userId" in user || more === undefined ? user : this.#userIn(more),
      groups: usesGroups ? (named ?? groups.inClaims(more) ?? []) : undefined,
      subject: claims.sub,
      tokens,
    };
  }

  #userIn(claims: Claims): User {
    const claim = this.#core.settings["auth.user_claim"];
    const userId = userOfClaims(claims, claim);
    if (userId === undefined) {
      const isUnverified = claim === "email" && typeof claims["email"] === "string";
      return {
        reason: isUnverified
          ? "Your e-mail address, which names the user here (auth.user_claim), is not verified at the OpenID provider: email_verified is not true."
          : `Your account at the OpenID provider has no claim ${claim}, which names the user here (auth.user_claim).`,
      };
    }
    const fault = callerIdFault(userId);
    return fault === undefined
      ? { userId }
      : {
          reason: `The claim ${claim} of your account, which names the user here (auth.user_claim), ${fault}.`,
        };
  }

  async #scope(): Promise<string> {
    const { "auth.user_claim": claim, "auth.groups_scope": ofGroups } = this.#core.settings;
    const asksAgain = (await this.#usesGroups()) && (await this.#parts.client.givesRefreshTokens());
    const scopes = [
      "openid",
      ...(claim === "email" ? ["email"] : []),
      ...(ofGroups === undefined ? [] : ofGroups.split(" ")),
      ...(asksAgain ? ["offline_access"] : []),
    ];
    return [...new Set(scopes)].join(" ");
  }

  /** Without a use, neither groups nor tokens are kept. */
  async #usesGroups(): Promise<boolean> {
    const { "auth.roles": roles, "auth.groups_scope": scope } = this.#core.settings;
    return roles.length > 0 || scope !== undefined || areGroupsUsed(this.#core.store);
  }

  #redirectUri(to: string): string {
    return this.#core.publicUrl() + (to.startsWith("/authorize/") ? CONSENT_CALLBACK : CALLBACK);
  }
}

/** RFC 6749, section 3.1: parameters must not be repeated. A callback has a state, and a code or an error. */
function stateIn(query: URLSearchParams): string | undefined {
  const isRepeated = [...new Set(query.keys())].some((name) => query.getAll(name).length > 1);
  const isLong = [...query.values()].some((value) => value.length > MAX_PARAMETER || value.includes("\0"));
  const state = query.get("state");
  if (isRepeated || isLong || state === null || state === "") return undefined;
  return query.has("code") || query.has("error") ? state : undefined;
}

/** The description of the provider is not trusted or repeated. */
function failureOf(query: URLSearchParams): string {
  const error = query.get("error");
  if (error === "access_denied") return "You did not sign in at the OpenID provider.";
  if (error !== null && /^[a-z0-9_]{1,60}$/.test(error))
    return `The OpenID provider answered ${error}. Try again, or tell your administrator.`;
  return "The answer of the OpenID provider could not be verified. Try again.";
}
