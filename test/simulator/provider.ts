// The provider of the scripted world: refresh tokens work once, and a revocation ends all grants of the account.
import { type HeldRequests, lost, type Sender } from "./held";
import type { Life } from "./life";
import type { VirtualTime } from "./virtual-time";

/** `hang`: held before the work; `hang_after`: held after it; `lose`: done, and the answer never arrives. */
export const TOKEN_FATES = ["hang", "hang_after", "lose", "error500"] as const;
export type TokenFate = "ok" | (typeof TOKEN_FATES)[number];

export const REVOCATION_FATES = ["hang", "error500"] as const;
export type RevocationFate = "ok" | (typeof REVOCATION_FATES)[number];

/** A grant of a user; its pairs of tokens are numbered. */
export interface Grant {
  readonly name: string;
  readonly user: string;
  scopes: readonly string[];
  /** The number of the pair that works. */
  newest: number;
  revoked: boolean;
  /** The consent was answered with success. */
  isAcknowledged: boolean;
  /** The user has consented again, so this grant is not needed any more. */
  superseded: boolean;
  /** The numbers of pairs of which a token was refused. */
  readonly refused: Set<number>;
  /** The newest pair that each runtime has received. */
  readonly received: Map<Life, number>;
  /** When each runtime has received its newest access token, and when it expires by the runtime's own clock. */
  readonly valid: Map<Life, { at: number; until: number }>;
  readonly expiresAt: number[];
  /** The number of the request that asked for each pair. */
  readonly requested: number[];
}

export interface ProviderListener {
  /** A refresh token arrives. */
  refreshes(grant: Grant, pair: number, life: Life): Promise<void>;
  revokes(grant: Grant): Promise<void>;
}

const LIFETIME_S = 60;

export class SimulatedProvider {
  readonly grants: Grant[] = [];
  /** The fates of the next token requests. */
  fates: TokenFate[] = [];
  revocationFates: RevocationFate[] = [];
  /** Counts requests. */
  sequence = 0;
  readonly #time: VirtualTime;
  readonly #held: HeldRequests;
  readonly #listener: ProviderListener;
  /** Codes; those that were exchanged are undefined. */
  readonly #codes = new Map<string, { grant: Grant; isNew: boolean } | undefined>();
  readonly #answers = new WeakMap<Response, { grant: Grant; pair: number }>();

  constructor(time: VirtualTime, held: HeldRequests, listener: ProviderListener) {
    this.#time = time;
    this.#held = held;
    this.#listener = listener;
  }

  /** Every user has consented, as in the template of the data folder. */
  connect(users: readonly string[]): void {
    for (const user of users) this.#grant(user, ["a", "b"]).isAcknowledged = true;
  }

  /** The user consents in a browser, which gets a code. `again`: for another access token of the present grant, if any. */
  code(user: string, scopes: readonly string[], again: boolean): { code: string; grant: Grant } {
    const present = this.grants.findLast((grant) => grant.user === user && !grant.revoked);
    const isAgain = again && present?.isAcknowledged === true && !present.superseded;
    const grant = isAgain ? present : this.#grant(user, scopes);
    if (isAgain) grant.scopes = scopes;
    const code = `code-${this.#codes.size}-of-${grant.name}`;
    this.#codes.set(code, { grant, isNew: !isAgain });
    return { code, grant };
  }

  /** The user has finished another consent since those before. */
  supersede(by: Grant): void {
    for (const grant of this.grants) if (grant.user === by.user && grant !== by) grant.superseded = true;
  }

  /** The user ends the newest grant at the provider. */
  end(user: string): void {
    const grant = this.grants.findLast((each) => each.user === user && !each.revoked);
    if (grant !== undefined) grant.revoked = true;
  }

  /** The grant and the number of a token. */
  find(token: string): { grant: Grant; pair: number } | undefined {
    const [, name, pair] = /^(?:access|refresh)-of-(\w+)-(\d+)$/.exec(token) ?? [];
    const grant = this.grants.find((each) => each.name === name);
    return grant === undefined ? undefined : { grant, pair: Number(pair) };
  }

  /** The grant of an access token that works. */
  accepts(token: string): boolean {
    const found = this.find(token);
    return (
      found !== undefined && !found.grant.revoked && (found.grant.expiresAt[found.pair] ?? 0) > this.#time.now
    );
  }

  /** An answer has reached a runtime. `now`: by its clock. */
  received(life: Life, response: Response, now: number): void {
    const answer = this.#answers.get(response);
    if (answer === undefined) return;
    answer.grant.received.set(life, answer.pair);
    answer.grant.valid.set(life, { at: this.#time.now, until: now + LIFETIME_S * 1000 });
  }

  async token(params: URLSearchParams, sender: Sender): Promise<Response> {
    const sequence = ++this.sequence;
    const code = params.get("code");
    if (code !== null) return this.#exchange(code, sender, sequence);
    const found = this.find(params.get("refresh_token") ?? "");
    if (found === undefined) return refusal();
    const { grant, pair } = found;
    await this.#listener.refreshes(grant, pair, sender.life);
    const fate = this.fates.shift() ?? "ok";
    if (fate === "hang") await this.#held.hold(`refresh of ${grant.name}-${pair}`, sender);
    if (fate === "error500") return new Response("broken", { status: 500 });
    if (grant.revoked || pair !== grant.newest) {
      grant.refused.add(pair);
      return refusal();
    }
    grant.newest++;
    return this.#answer(grant, fate, sender, sequence);
  }

  async revoke(params: URLSearchParams, sender: Sender): Promise<Response> {
    this.sequence++;
    const fate = this.revocationFates.shift() ?? "ok";
    if (fate === "error500") return new Response("broken", { status: 500 });
    if (fate === "hang") await this.#held.hold("a revocation", sender);
    const found = this.find(params.get("token") ?? "");
    // A token that has been replaced ends nothing (RFC 7009, section 2.2).
    if (found === undefined || found.pair !== found.grant.newest) return Response.json({});
    // As many providers do: it ends all grants of the account so far.
    for (const grant of this.grants) {
      if (grant.user !== found.grant.user || grant.revoked) continue;
      await this.#listener.revokes(grant);
      grant.revoked = true;
    }
    return Response.json({});
  }

  async #exchange(code: string, sender: Sender, sequence: number): Promise<Response> {
    const exchanged = this.#codes.get(code);
    const fate = this.fates.shift() ?? "ok";
    if (fate === "hang") await this.#held.hold(`exchange of ${code}`, sender);
    if (fate === "error500") return new Response("broken", { status: 500 });
    // A code works once.
    if (exchanged === undefined || exchanged.grant.revoked || this.#codes.get(code) === undefined)
      return refusal();
    this.#codes.set(code, undefined);
    const { grant, isNew } = exchanged;
    return isNew ? this.#answer(grant, fate, sender, sequence) : this.#answerAgain(grant, fate, sender);
  }

  /** Another access token of a grant that has a refresh token. */
  async #answerAgain(grant: Grant, fate: TokenFate, sender: Sender): Promise<Response> {
    if (fate === "lose") throw lost();
    const answer = {
      access_token: tokenOf("access", grant.name, grant.newest),
      token_type: "bearer",
      expires_in: Math.max(1, ((grant.expiresAt[grant.newest] ?? 0) - this.#time.now) / 1000),
      scope: grant.scopes.join(" "),
      account: { id: grant.user },
    };
    if (fate === "hang_after") await this.#held.hold(`answer with ${grant.name}`, sender);
    return Response.json(answer);
  }

  async #answer(grant: Grant, fate: TokenFate, sender: Sender, sequence: number): Promise<Response> {
    const pair = grant.newest;
    grant.expiresAt[pair] = this.#time.now + LIFETIME_S * 1000;
    grant.requested[pair] = sequence;
    if (fate === "lose") throw lost();
    if (fate === "hang_after") await this.#held.hold(`answer with ${grant.name}-${pair}`, sender);
    const response = Response.json({
      access_token: tokenOf("access", grant.name, pair),
      refresh_token: tokenOf("refresh", grant.name, pair),
      token_type: "bearer",
      expires_in: LIFETIME_S,
      scope: grant.scopes.join(" "),
      account: { id: grant.user },
    });
    this.#answers.set(response, { grant, pair });
    return response;
  }

  #grant(user: string, scopes: readonly string[]): Grant {
    const grant: Grant = {
      name: `${user}${this.grants.length}`,
      user,
      scopes,
      newest: 0,
      revoked: false,
      isAcknowledged: false,
      superseded: false,
      refused: new Set(),
      received: new Map(),
      valid: new Map(),
      expiresAt: [this.#time.now + LIFETIME_S * 1000],
      requested: [this.sequence],
    };
    this.grants.push(grant);
    return grant;
  }
}

function tokenOf(kind: "access" | "refresh", grant: string, pair: number): string {
  return `${kind}-of-${grant}-${pair}`;
}

function refusal(): Response {
  return Response.json({ error: "invalid_grant" }, { status: 400 });
}
