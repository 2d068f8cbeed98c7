// The `requestState` of calls that need another round trip (revision 2026-07-28). It is sealed and bound to the user, the
// tool, its arguments and a short time, so no other user or call can use it.
import { isObject, type Json, type JsonObject } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { isUnavailable, RuntimeError } from "../errors";
import { actorOf } from "../identity";
import type { GatewayUser } from "./access";
import { INVALID_PARAMS, RpcError } from "./json-rpc";

/** The state of a call between two rounds. */
export interface Waiting {
  /** The consent that was asked for. */
  authorizationId?: string;
  /** The tool's own state. */
  state?: Json;
}

const LIFETIME_MS = 15 * 60_000;
const MAX_LENGTH = 100_000;

export class RequestStates {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async seal(user: GatewayUser, call: JsonObject, waiting: Waiting): Promise<string> {
    const { keyring, clock } = this.#core;
    const body = { for: boundTo(user, call), until: clock.now() + LIFETIME_MS, ...waiting };
    return keyring.seal(user.gateway.projectId, placeOf(user), JSON.stringify(body));
  }

  /** Opens the `requestState` of a call. Throws `RpcError` if it is invalid. */
  async open(user: GatewayUser, call: JsonObject): Promise<Waiting> {
    const sealed = call["requestState"];
    const body = typeof sealed === "string" ? await this.#read(user, sealed) : undefined;
    if (body === undefined || body["for"] !== boundTo(user, call)) throw invalidState();
    if (typeof body["until"] !== "number" || body["until"] <= this.#core.clock.now()) throw invalidState();
    const { authorizationId, state } = body;
    return {
      ...(typeof authorizationId === "string" ? { authorizationId } : {}),
      ...(state === undefined ? {} : { state }),
    };
  }

  async #read(user: GatewayUser, sealed: string): Promise<JsonObject | undefined> {
    if (sealed.length > MAX_LENGTH) return undefined;
    try {
      const body: unknown = JSON.parse(
        await this.#core.keyring.open(user.gateway.projectId, placeOf(user), sealed),
      );
      // Only `seal` writes it, as JSON.
      return isObject(body) ? (body as JsonObject) : undefined;
    } catch (error) {
      if (error instanceof RuntimeError && !isUnavailable(error)) return undefined;
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

function invalidState(): RpcError {
  return new RpcError(
    INVALID_PARAMS,
    "requestState does not belong to this call or has expired. Send the call again without it.",
  );
}
