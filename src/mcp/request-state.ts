// What a call that must go another round gives the client to bring back (revision 2026-07-28, multi round-trip
// requests). Sealed, and bound to the user, the tool, its arguments and a short time: to anybody else it is worth nothing.
import { isObject, type Json, type JsonObject } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { RuntimeError } from "../errors";
import { actorOf } from "../identity";
import type { GatewayUser } from "./access";
import { INVALID_PARAMS, RpcError } from "./json-rpc";

/** What waits for the next round. */
export interface Waiting {
  /** A consent that was asked for. */
  authorizationId?: string;
  /** What the tool left for itself. */
  state?: Json;
}

const GOOD_FOR_MS = 15 * 60_000;
const LONGEST = 100_000;

export class RequestStates {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async seal(user: GatewayUser, call: JsonObject, waiting: Waiting): Promise<string> {
    const { keyring, clock } = this.#core;
    const body = { for: boundTo(user, call), until: clock.now() + GOOD_FOR_MS, ...waiting };
    return keyring.seal(user.gateway.projectId, placeOf(user), JSON.stringify(body));
  }

  /** What waits under the `requestState` of a call. Throws `RpcError` for a wrong one. */
  async open(user: GatewayUser, call: JsonObject): Promise<Waiting> {
    const sealed = call["requestState"];
    const body = typeof sealed === "string" ? await this.#read(user, sealed) : undefined;
    if (body === undefined || body["for"] !== boundTo(user, call)) throw refused();
    if (typeof body["until"] !== "number" || body["until"] <= this.#core.clock.now()) throw refused();
    const { authorizationId, state } = body;
    return {
      ...(typeof authorizationId === "string" ? { authorizationId } : {}),
      ...(state === undefined ? {} : { state }),
    };
  }

  async #read(user: GatewayUser, sealed: string): Promise<JsonObject | undefined> {
    if (sealed.length > LONGEST) return undefined;
    try {
      const body: unknown = JSON.parse(
        await this.#core.keyring.open(user.gateway.projectId, placeOf(user), sealed),
      );
      // Written by `seal` only: JSON.
      return isObject(body) ? (body as JsonObject) : undefined;
    } catch (error) {
      if (error instanceof RuntimeError) return undefined;
      throw error;
    }
  }
}

function boundTo({ principal, userId }: GatewayUser, { name, arguments: given = {} }: JsonObject): string {
  return hashOf(JSON.stringify([actorOf(principal), userId, name, given]));
}

function placeOf({ gateway }: GatewayUser): { table: string; row: string; field: string } {
  return { table: "mcp", row: gateway.id, field: "request_state" };
}

function refused(): RpcError {
  return new RpcError(
    INVALID_PARAMS,
    "requestState is not one of this call, or has expired: send the call again without it.",
  );
}
