// `subscriptions/listen` (revision 2026-07-28, "Subscriptions"): a stream of notifications that lasts until the client ends it,
// the gateway is gone, or the server stops. A gateway has tools only, so a changed list of tools is all there is to tell.
import { isObject, type JsonObject } from "../base";
import type { Core } from "../core";
import type { Gateway, Gateways } from "../gateways";
import { ACCEPTED, INVALID_PARAMS, type Reply, type RequestId, resultReply, RpcError } from "./json-rpc";
import type { Peer } from "./service";
import { metaKey } from "./versions";

/** How long one wait for a change takes at most. */
const WAIT_MS = 60_000;
const SUBSCRIPTION_KEY = metaKey("subscriptionId");

type Listener = Pick<Peer, "user" | "stop" | "stopping" | "notify">;

export class Subscriptions {
  readonly #core: Core;
  readonly #gateways: Gateways;

  constructor(core: Core, gateways: Gateways) {
    this.#core = core;
    this.#gateways = gateways;
  }

  /** Resolves when the subscription has ended. Throws `RpcError`. */
  async listen(
    id: RequestId,
    params: JsonObject,
    { user, stop, stopping, notify }: Listener,
  ): Promise<Reply> {
    const wanted = params["notifications"];
    if (!isObject(wanted))
      throw new RpcError(INVALID_PARAMS, "params.notifications must be an object.", { status: 400 });
    if (notify === undefined)
      throw new RpcError(INVALID_PARAMS, "A subscription is a stream: accept text/event-stream.", {
        status: 406,
      });
    const tell = (method: string, more: string): void =>
      notify(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${metaOf(id)}${more}}}`);
    const tools = wanted["toolsListChanged"] === true;
    tell("subscriptions/acknowledged", `,"notifications":${tools ? '{"toolsListChanged":true}' : "{}"}`);
    const ended = stopping === undefined ? stop.signal : AbortSignal.any([stop.signal, stopping]);
    await this.#changes(user.gateway, ended, () => {
      if (tools) tell("tools/list_changed", "");
    });
    // A client that has gone gets nothing more.
    if (stop.aborted) return ACCEPTED;
    tell("cancelled", `,"requestId":${id}`);
    return resultReply(id, `{"resultType":"complete",${metaOf(id)}}`);
  }

  /** Calls `changed` after each change of the tools that users see. Resolves when it is aborted or the gateway is gone. */
  async #changes(gateway: Gateway, ended: AbortSignal, changed: () => void): Promise<void> {
    const { store } = this.#core;
    const kinds = ["gateways", "hooks"] as const;
    let known: Gateway | undefined = gateway;
    let hooks = await store.generation("hooks");
    while (!ended.aborted) {
      const generations = await Promise.all(kinds.map((kind) => store.generation(kind)));
      const now = await this.#gateways.serving(gateway.slug);
      if (now?.id !== gateway.id) return;
      const other = now !== known || generations[1] !== hooks;
      known = now;
      hooks = generations[1] ?? hooks;
      if (other) changed();
      const round = new AbortController();
      const signal = AbortSignal.any([ended, round.signal]);
      const waits = kinds.map((kind, at) =>
        store.changed(kind, generations[at] ?? 0, { timeoutMs: WAIT_MS, signal }),
      );
      await Promise.race(waits);
      round.abort();
      await Promise.all(waits);
    }
  }
}

function metaOf(id: RequestId): string {
  return `"_meta":{"${SUBSCRIPTION_KEY}":${id}}`;
}
