// The platform and the webhooks of the scripted world. The platform counts effects.
import { type HeldRequests, lost, type Sender } from "./held";
import type { SimulatedProvider } from "./provider";
import type { SimulatedProcess } from "./simulated-process";
import type { VirtualTime } from "./virtual-time";

/**
 * `refuse`: the token, before the effect; `refuse_after`: the token of the next request, after the effect; `narrow`: the
 * token lacks a scope.
 */
export const PLATFORM_FATES = ["hang", "hang_after", "lose", "refuse", "refuse_after", "narrow"] as const;
export type PlatformFate = "ok" | (typeof PLATFORM_FATES)[number];
export const HOOK_FATES = ["hang", "deny", "error500", "lose"] as const;
export type HookFate = "ok" | (typeof HOOK_FATES)[number];

export interface Effect {
  readonly label: string;
  /** The same for all effects of one call of a tool. */
  readonly call: string;
  readonly at: number;
  readonly process: SimulatedProcess;
}

export class SimulatedPlatform {
  readonly effects: Effect[] = [];
  /** Requests that were refused for a lost scope, by user, with the number of the provider's requests before them. */
  readonly narrowed: { user: string; after: number }[] = [];
  /** The labels of calls that were refused. */
  readonly refused = new Set<string>();
  fates: PlatformFate[] = [];
  readonly #time: VirtualTime;
  readonly #held: HeldRequests;
  readonly #provider: SimulatedProvider;
  readonly #begins: (effect: Effect) => void;

  constructor(
    time: VirtualTime,
    held: HeldRequests,
    provider: SimulatedProvider,
    begins: (effect: Effect) => void,
  ) {
    this.#time = time;
    this.#held = held;
    this.#provider = provider;
    this.#begins = begins;
  }

  async answer(path: string, bearer: string, sender: Sender): Promise<Response> {
    // A tool without a grant.
    if (path === "/plain") {
      await this.#effect(this.fates.shift() ?? "ok", sender);
      return Response.json({});
    }
    const found = this.#provider.find(bearer);
    const fate = this.#fateOf(path);
    if (fate === "narrow" && found !== undefined) {
      this.refused.add(sender.label);
      this.narrowed.push({ user: found.grant.user, after: this.#provider.sequence });
      return Response.json({ missing: "b" }, { status: 403 });
    }
    if (fate.startsWith("refuse") || !this.#provider.accepts(bearer)) {
      this.refused.add(sender.label);
      found?.grant.refused.add(found.pair);
      return new Response("{}", { status: 401 });
    }
    if (path === "/effects") await this.#effect(fate, sender);
    return Response.json({});
  }

  /** The fate of a request. That of the request after an effect waits for it. */
  #fateOf(path: string): PlatformFate {
    const [next] = this.fates;
    const isMine = path === "/confirm" ? next === "refuse_after" : next !== "refuse_after";
    const isOnlyForWrites = path === "/me" && next !== "narrow" && next !== "refuse";
    return isMine && !isOnlyForWrites ? (this.fates.shift() ?? "ok") : "ok";
  }

  async #effect(fate: PlatformFate, sender: Sender): Promise<void> {
    const { label, call, process } = sender;
    const effect = { label, call, at: this.#time.now, process };
    this.effects.push(effect);
    this.#begins(effect);
    if (fate === "hang" || fate === "hang_after") await this.#held.hold(label, sender);
    if (fate === "lose") throw lost();
  }
}

export class SimulatedHooks {
  fates: HookFate[] = [];
  /** Labels of calls that the hook before the call was asked about. */
  readonly asked = new Set<string>();
  /** Labels of calls that a hook has refused before they ran. */
  readonly denied = new Set<string>();
  readonly #held: HeldRequests;

  constructor(held: HeldRequests) {
    this.#held = held;
  }

  async answer(path: string, body: string, sender: Sender): Promise<Response> {
    const fate = this.fates.shift() ?? "ok";
    const label = String(JSON.parse(body).inputs?.text ?? "");
    if (path === "/pre") this.asked.add(label);
    if (fate === "hang") await this.#held.hold(`hook of ${label}`, { ...sender, label });
    if (fate === "error500") return new Response("broken", { status: 500 });
    if (fate === "lose") throw lost();
    if (fate !== "deny") return Response.json({ code: "OK" });
    if (path === "/pre") this.denied.add(label);
    return Response.json({ code: "CHECK_FAILED", error_message: "no" });
  }
}
