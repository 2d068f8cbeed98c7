// The scripted world: a provider with single-use refresh tokens that can revoke, and a platform that counts effects.
import { Redacted } from "../../src/base";
import { EgressError, type EgressRequest } from "../../src/egress";
import type { Life, SimulatedProcess } from "./simulated-process";
import type { TimerOwner, VirtualTime } from "./virtual-time";

/** `hang`: held before the work; `hang_after`: held after it; `lose`: done, and the answer never arrives. */
export const TOKEN_FATES = ["hang", "hang_after", "lose", "error500"] as const;
/** `refuse`: the token, before the effect; `refuse_after`: the token of the next request, after the effect. */
export const PLATFORM_FATES = ["hang", "hang_after", "lose", "refuse", "refuse_after"] as const;
export type Fate = "ok" | (typeof TOKEN_FATES)[number] | (typeof PLATFORM_FATES)[number];

/** A grant of a user; its pairs of tokens are numbered. */
export interface Grant {
  readonly name: string;
  readonly user: string;
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
  readonly expiresAt: number[];
}

export interface Effect {
  readonly label: string;
  /** The same for all effects of one call of a tool. */
  readonly call: string;
  readonly at: number;
  readonly process: SimulatedProcess;
}

/** A request without an answer so far. */
export interface Held {
  readonly label: string;
  readonly process: SimulatedProcess;
  readonly life: Life;
  readonly since: number;
  answer(): void;
}

export interface Listener {
  /** A refresh token arrives at the provider. */
  refreshes(grant: Grant, pair: number, life: Life): Promise<void>;
  revokes(grant: Grant): Promise<void>;
  /** An effect begins. */
  begins(effect: Effect): void;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const LIFETIME_S = 60;

export class World {
  readonly grants: Grant[] = [];
  readonly effects: Effect[] = [];
  readonly held = new Set<Held>();
  readonly #time: VirtualTime;
  readonly #listener: Listener;
  readonly #owner: TimerOwner = { isFrozen: false };
  readonly #answers = new WeakMap<Response, { grant: Grant; pair: number }>();
  #tokenFates: Fate[] = [];
  #platformFates: Fate[] = [];

  constructor(time: VirtualTime, listener: Listener) {
    this.#time = time;
    this.#listener = listener;
  }

  /** What becomes of the next request to the provider or the platform. */
  script(to: "token" | "platform", fate: Fate): void {
    (to === "token" ? this.#tokenFates : this.#platformFates).push(fate);
  }

  behave(): void {
    this.#tokenFates = [];
    this.#platformFates = [];
  }

  /** Answers the request that has been held for the longest time. */
  release(): boolean {
    const [first] = this.held;
    first?.answer();
    return first !== undefined;
  }

  /** The user consents: a new grant, or with `again` another access token of the present grant. */
  consent(
    user: string,
    life: Life,
    again: boolean,
  ): { grant: Grant; access: string; refresh: string | undefined } {
    const present = this.grants.findLast((grant) => grant.user === user && !grant.revoked);
    if (again && present?.isAcknowledged === true && !present.superseded)
      return { grant: present, access: tokenOf("access", present.name, present.newest), refresh: undefined };
    for (const grant of this.grants) if (grant.user === user) grant.superseded = true;
    const grant: Grant = {
      name: `${user}${this.grants.length}`,
      user,
      newest: 0,
      revoked: false,
      isAcknowledged: false,
      superseded: false,
      refused: new Set(),
      received: new Map([[life, 0]]),
      expiresAt: [this.#time.now + LIFETIME_S * 1000],
    };
    this.grants.push(grant);
    return { grant, access: tokenOf("access", grant.name, 0), refresh: tokenOf("refresh", grant.name, 0) };
  }

  /** The grant and the number of a token. */
  find(token: string): { grant: Grant; pair: number } | undefined {
    const [, name, pair] = /^(?:access|refresh)-of-(\w+)-(\d+)$/.exec(token) ?? [];
    const grant = this.grants.find((each) => each.name === name);
    return grant === undefined ? undefined : { grant, pair: Number(pair) };
  }

  async send(
    process: SimulatedProcess,
    life: Life,
    url: string | URL,
    request: EgressRequest = {},
  ): Promise<Response> {
    const { pathname } = new URL(url);
    const body = textOf(request.body);
    const call = textOf(request.headers?.["x-call"]);
    const waits: Waits = { process, life, call, timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS };
    if (pathname === "/token") return this.#token(new URLSearchParams(body), waits);
    if (pathname === "/revoke") return this.#revoke(new URLSearchParams(body));
    const bearer = textOf(request.headers?.["authorization"]).replace("Bearer ", "");
    return this.#platform(pathname, body, bearer, waits);
  }

  async #token(params: URLSearchParams, waits: Waits): Promise<Response> {
    const found = this.find(params.get("refresh_token") ?? "");
    if (found === undefined) return refusal();
    const { grant, pair } = found;
    await this.#listener.refreshes(grant, pair, waits.life);
    const fate = this.#tokenFates.shift() ?? "ok";
    if (fate === "hang") await this.#hold(`refresh of ${grant.name}-${pair}`, waits);
    if (fate === "error500") return new Response("broken", { status: 500 });
    if (grant.revoked || pair !== grant.newest) {
      grant.refused.add(pair);
      return refusal();
    }
    const next = ++grant.newest;
    grant.expiresAt[next] = this.#time.now + LIFETIME_S * 1000;
    if (fate === "lose") throw lost();
    if (fate === "hang_after") await this.#hold(`answer to the refresh of ${grant.name}-${pair}`, waits);
    const tokens = {
      access_token: tokenOf("access", grant.name, next),
      refresh_token: tokenOf("refresh", grant.name, next),
      token_type: "bearer",
      expires_in: LIFETIME_S,
      account: { id: grant.user },
    };
    const response = Response.json(tokens);
    this.#answers.set(response, { grant, pair: next });
    return response;
  }

  /** An answer has reached a runtime. */
  received(life: Life, response: Response): void {
    const answer = this.#answers.get(response);
    if (answer !== undefined) answer.grant.received.set(life, answer.pair);
  }

  async #revoke(params: URLSearchParams): Promise<Response> {
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

  async #platform(path: string, label: string, bearer: string, waits: Waits): Promise<Response> {
    const found = this.find(bearer);
    const works =
      found !== undefined &&
      !found.grant.revoked &&
      (found.grant.expiresAt[found.pair] ?? 0) > this.#time.now;
    if (works && (await this.#isAccepted(path, label, waits))) return Response.json({});
    found?.grant.refused.add(found.pair);
    return new Response("{}", { status: 401 });
  }

  /** Does what the request wants; false: the token is refused. */
  async #isAccepted(path: string, label: string, waits: Waits): Promise<boolean> {
    const [next] = this.#platformFates;
    const isMine =
      path === "/effects" ? next !== "refuse_after" : path === "/confirm" && next === "refuse_after";
    const fate = isMine ? (this.#platformFates.shift() ?? "ok") : "ok";
    if (fate === "refuse" || fate === "refuse_after") return false;
    if (path !== "/effects") return true;
    const effect = { label, call: waits.call, at: this.#time.now, process: waits.process };
    this.effects.push(effect);
    this.#listener.begins(effect);
    if (fate === "hang" || fate === "hang_after") await this.#hold(label, waits);
    if (fate === "lose") throw lost();
    return true;
  }

  /** Waits for `release`, or until the caller's time is up. */
  #hold(label: string, { process, life, timeoutMs }: Waits): Promise<void> {
    return new Promise((resolve, reject) => {
      const held: Held = {
        label,
        process,
        life,
        since: this.#time.now,
        answer: () => {
          cancel();
          this.held.delete(held);
          resolve();
        },
      };
      const cancel = this.#time.after(timeoutMs, this.#owner, () => {
        this.held.delete(held);
        reject(new EgressError("timeout", "The request took too long.", { maybeSent: true }));
      });
      this.held.add(held);
    });
  }
}

interface Waits {
  call: string;
  process: SimulatedProcess;
  life: Life;
  timeoutMs: number;
}

function tokenOf(kind: "access" | "refresh", grant: string, pair: number): string {
  return `${kind}-of-${grant}-${pair}`;
}

function textOf(value: string | Redacted | undefined): string {
  return value instanceof Redacted ? value.reveal() : (value ?? "");
}

function lost(): EgressError {
  return new EgressError("unreachable", "The connection broke.", { maybeSent: true });
}

function refusal(): Response {
  return Response.json({ error: "invalid_grant" }, { status: 400 });
}
