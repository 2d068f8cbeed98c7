// The scripted world outside of the processes: a provider, a platform, and webhooks.
import { Redacted } from "../../src/base";
import type { EgressRequest } from "../../src/egress";
import { HeldRequests, type Sender } from "./held";
import type { Life } from "./life";
import { type Effect, type HookFate, type PlatformFate, SimulatedHooks, SimulatedPlatform } from "./platform";
import { type ProviderListener, type RevocationFate, SimulatedProvider, type TokenFate } from "./provider";
import type { SimulatedProcess } from "./simulated-process";
import type { VirtualTime } from "./virtual-time";

/** What becomes of the next request to one of them. */
export type Script =
  | { to: "token"; fate: TokenFate }
  | { to: "revocation"; fate: RevocationFate }
  | { to: "platform"; fate: PlatformFate }
  | { to: "hooks"; fate: HookFate };

export interface Listener extends ProviderListener {
  /** An effect begins. */
  begins(effect: Effect): void;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export class World {
  readonly held: HeldRequests;
  readonly provider: SimulatedProvider;
  readonly platform: SimulatedPlatform;
  readonly hooks: SimulatedHooks;

  constructor(time: VirtualTime, listener: Listener) {
    this.held = new HeldRequests(time);
    this.provider = new SimulatedProvider(time, this.held, listener);
    this.platform = new SimulatedPlatform(time, this.held, this.provider, (effect) =>
      listener.begins(effect),
    );
    this.hooks = new SimulatedHooks(this.held);
  }

  script(script: Script): void {
    if (script.to === "token") this.provider.fates.push(script.fate);
    else if (script.to === "revocation") this.provider.revocationFates.push(script.fate);
    else if (script.to === "platform") this.platform.fates.push(script.fate);
    else this.hooks.fates.push(script.fate);
  }

  behave(): void {
    this.provider.fates = [];
    this.provider.revocationFates = [];
    this.platform.fates = [];
    this.hooks.fates = [];
  }

  async send(
    process: SimulatedProcess,
    life: Life,
    url: string | URL,
    request: EgressRequest = {},
  ): Promise<Response> {
    const { pathname, hostname } = new URL(url);
    const body = textOf(request.body);
    const header = (name: string): string => textOf(request.headers?.[name]);
    const [call, label] = [header("x-call"), header("x-label")];
    const sender: Sender = { process, life, call, label, timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS };
    if (hostname === "hooks.invalid") return this.hooks.answer(pathname, body, sender);
    if (pathname === "/token") return this.provider.token(new URLSearchParams(body), sender);
    if (pathname === "/revoke") return this.provider.revoke(new URLSearchParams(body), sender);
    return this.platform.answer(pathname, header("authorization").replace("Bearer ", ""), sender);
  }
}

function textOf(value: string | Redacted | undefined): string {
  return value instanceof Redacted ? value.reveal() : (value ?? "");
}
