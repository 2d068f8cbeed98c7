// What a handler gets. A class, so that the members that few operations ask for cost nothing where nobody does.
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";
import { Departure } from "./departure";
import type { AnyCall, Operation } from "./operations";
import { queryOf } from "./query";
import type { Incoming, Means } from "./route";

/** A body that was read, and the text that it was. */
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
  readonly #means: Means;

  constructor(
    runtime: Runtime,
    principal: Principal,
    { body, text }: ReadBody,
    operation: Operation,
    incoming: Incoming,
    means: Means,
  ) {
    this.runtime = runtime;
    this.principal = principal;
    this.body = body;
    this.text = text;
    this.#operation = operation;
    this.#incoming = incoming;
    this.#means = means;
  }

  // Handlers take the call apart: a function of it must not need it. It is made when it is asked for.
  get path(): (name: string) => string {
    const { params } = this.#incoming;
    return (name) => params[name] ?? "";
  }

  get wantsPage(): () => boolean {
    const { headers } = this.#incoming.request;
    return () => headers.get("accept")?.includes("text/html") === true;
  }

  get query(): Record<string, unknown> {
    const { query } = this.#operation;
    return query === undefined ? {} : queryOf(query, this.#incoming.request);
  }

  get idempotencyKey(): string | undefined {
    return this.#incoming.request.headers.get("idempotency-key") ?? undefined;
  }

  get departure(): () => Departure {
    const { request } = this.#incoming;
    return () => new Departure(request);
  }

  // Bun makes the signal when it is first asked for, and most operations never ask.
  get signal(): AbortSignal {
    const { request } = this.#incoming;
    return this.#operation.waits ? AbortSignal.any([request.signal, this.#means.stopping]) : request.signal;
  }
}
