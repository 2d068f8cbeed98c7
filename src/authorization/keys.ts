// The page on which users enter keys of their own. The guards are those of every consent: the address is a secret, the browser
// that opened it sends the form, the user is checked, and the flow ends once.
import { Redacted } from "../base";
import { keyFrom, testKey, type TokenGrant } from "../connections";
import type { Core } from "../core";
import { hashOf, sameSecret } from "../crypto";
import type { Provider, Providers } from "../providers";
import { countBack, countUse } from "../store";
import { changeReason, checkBrowser } from "./callback/checks";
import type { Finish } from "./finish";
import {
  addressOf,
  browserOf,
  type Exchange,
  formCheckOf,
  MANY_REFUSED_KEYS,
  NO_KEY_GIVEN,
  openExchange,
  partiesOf,
} from "./flow";
import { type KeyProblem, type Outcome, UNKNOWN_ADDRESS, UNKNOWN_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import type { SignedInAs, Visitor } from "./visitor";

/** Keys that may be refused in one consent: the page must not find out which of many keys are good. */
const MOST_REFUSED = 10;

/** What the person sent from the page. */
export interface GivenKey {
  key: Redacted;
  check: string;
  agrees: boolean;
}

interface Parts {
  finish: Finish;
  checkUser(flow: FlowRow, provider: Provider, grant: TokenGrant, visitor: Visitor): Promise<Outcome>;
  resume(flow: FlowRow, token: string, cookie: string | undefined, visitor: Visitor): Promise<Outcome>;
}

export class KeyConsent {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #parts: Parts;

  constructor(core: Core, providers: Providers, parts: Parts) {
    this.#core = core;
    this.#providers = providers;
    this.#parts = parts;
  }

  /** The page for the browser that has opened the flow. */
  async page(flow: FlowRow, exchange: Exchange, cookie: string): Promise<Outcome> {
    return {
      kind: "key",
      about: partiesOf(flow),
      userId: flow.user_id,
      action: await this.#pathOf(flow),
      check: formCheckOf(exchange, "key"),
      cookie,
    };
  }

  /** The form of the page. A key is stored only if the service accepts it, as far as the provider's record has a test. */
  async give(
    token: string,
    given: GivenKey,
    cookie: string | undefined,
    address?: string,
    signedInAs?: SignedInAs,
  ): Promise<Outcome> {
    const flow = await repository.findFlowByAddress(this.#core.store, hashOf(token));
    if (flow === undefined) return UNKNOWN_ADDRESS;
    const { finish, resume } = this.#parts;
    const stopped = checkBrowser(flow, cookie) ?? finish.ended(flow);
    if (stopped !== undefined) return stopped;
    const by = browserOf(flow, address);
    const visitor = { by, signedInAs };
    // Sent twice: the first one continues, the second shows the current step.
    if (flow.used_at !== null) return resume(flow, token, cookie, visitor);
    const exchange = await openExchange(this.#core, flow);
    if (exchange === undefined || !sameSecret(given.check, formCheckOf(exchange, "key")))
      return UNKNOWN_STATE;
    const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
    if (provider === undefined) return finish.fail(flow, "the auth provider was deleted", by);
    const stale = changeReason(flow, provider);
    if (stale !== undefined) return finish.fail(flow, stale, by);
    if (provider.apiKey === undefined) return UNKNOWN_STATE;
    if (!given.agrees) return finish.fail(flow, NO_KEY_GIVEN, by);
    const key = await this.#checked(flow, provider, given.key);
    if (key === "no tries left") return finish.fail(flow, MANY_REFUSED_KEYS, by);
    if (!(key instanceof Redacted))
      return { kind: "key_problem", problem: key, page: await this.#pathOf(flow) };
    return this.#store(flow, { token, cookie, provider, key, visitor });
  }

  async #checked(
    flow: FlowRow,
    provider: Provider,
    given: Redacted,
  ): Promise<Redacted | KeyProblem | "no tries left"> {
    if (given.reveal().trim() === "") return "empty";
    const text = keyFrom(given.reveal());
    if (text === undefined) return "malformed";
    const key = new Redacted(text);
    if (provider.apiKey?.test === undefined) return key;
    // Counted before the service is asked: of many keys at the same time, at any server, it must not see more.
    const tried = await this.#countTry(flow);
    if (tried === undefined) return "no tries left";
    const { verdict, reason } = await testKey(this.#core, provider, key);
    if (verdict === "accepted") return key;
    const { id: authorization } = flow;
    this.#core.log.warn("a user's key was not stored", {
      authorization,
      provider: provider.id,
      verdict,
      reason,
    });
    if (verdict === "refused") return tried < MOST_REFUSED ? "refused" : "no tries left";
    await this.#core.store.write(() => countBack(triesOf(flow)));
    return "unchecked";
  }

  /** Undefined if there is none left. */
  #countTry(flow: FlowRow): Promise<number | undefined> {
    return this.#core.store.write(() => countUse(triesOf(flow), MOST_REFUSED, flow.expires_at));
  }

  async #store(
    flow: FlowRow,
    {
      token,
      cookie,
      provider,
      key,
      visitor,
    }: { token: string; cookie: string | undefined; provider: Provider; key: Redacted; visitor: Visitor },
  ): Promise<Outcome> {
    const { store, clock } = this.#core;
    await store.reserve();
    if (!(await store.write(() => repository.useState(flow, clock.now()))))
      return this.#parts.resume(flow, token, cookie, visitor);
    // The address of a flow is deleted when it ends.
    const page = await this.#pathOf(flow);
    const outcome = await this.#parts.checkUser(flow, provider, grantOfKey(key), visitor);
    return outcome.kind === "completed" ? { kind: "key_stored", page } : outcome;
  }

  // Only the path, so that the form stays on the page's host. It includes the path prefix of a proxy.
  async #pathOf(flow: FlowRow): Promise<string> {
    return new URL(await addressOf(this.#core, flow)).pathname;
  }
}

/** The name under which all servers count. It outlives the opening in another browser. */
function triesOf({ id }: FlowRow): string {
  return `keys refused in ${id}`;
}

/** A key has no scopes and does not expire, as far as is known. */
export function grantOfKey(key: Redacted): TokenGrant {
  return { accessToken: key, refreshToken: undefined, expiresIn: undefined, scopes: [], facts: {} };
}
