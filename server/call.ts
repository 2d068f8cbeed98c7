// The argument of a handler. A class with getters: members that few operations use cost the others nothing.
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";
import { Departure } from "./departure";
import type { Front, Incoming } from "./front";
import type { AnyCall, Operation } from "./operations/operation";
import { queryOf } from "./query";
import type { Revocation } from "./revocation";

/** A checked body and its text. */
export interface ReadBody {
  body: unknown;
  text: string;
}

export class CheckedCall implements AnyCall {
  readonly runtime: Runtime;
  readonly principal: Principal;
  readonly body: unknown;
  readonly text: string;
  readonly #operation: Operation;
  readonly #incoming: Incoming;
  readonly #front: Front;
  readonly #revocation: Revocation | undefined;

  constructor(
    front: Front,
    operation: Operation,
    principal: Principal,
    incoming: Incoming,
    { body, text }: ReadBody,
    revocation: Revocation | undefined,
  ) {
    this.runtime = front.runtime;
    this.principal = principal;
    this.body = body;
    this.text = text;
    this.#operation = operation;
    this.#incoming = incoming;
    this.#front = front;
    this.#revocation = revocation;
  }

  // A function without `this`, because handlers destructure the call.
  get path(): (name: string) => string {
    const { params } = this.#incoming;
    return (name) => params[name] ?? "";
  }

  get query(): Record<string, unknown> {
    const { query } = this.#operation;
    return query === undefined ? {} : queryOf(query, this.#incoming.request);
  }

  get accept(): string | undefined {
    return this.#incoming.request.headers.get("accept") ?? undefined;
  }

  get idempotencyKey(): string | undefined {
    return this.#incoming.request.headers.get("idempotency-key") ?? undefined;
  }

  get departure(): () => Departure {
    const { request } = this.#incoming;
    return () => {
      const departure = new Departure(request);
      this.#revocation?.addEventListener("abort", () => departure.abort());
      return departure;
    };
  }

  get streaming(): () => () => void {
    return () => {
      const ended = this.#revocation?.hold();
      const counted = this.runtime.core.work.hold("model_streams");
      return () => {
        counted[Symbol.dispose]();
        ended?.();
      };
    };
  }

  // Bun creates the signal on first access, and most operations never use it.
  get signal(): AbortSignal {
    const { signal } = this.#incoming.request;
    const others = [
      ...(this.#operation.waits ? [this.#front.stopping] : []),
      ...(this.#revocation === undefined ? [] : [this.#revocation.signal]),
    ];
    return others.length === 0 ? signal : AbortSignal.any([signal, ...others]);
  }
}
