// Rate limits that the platform told of, remembered per connection and method so that nobody runs into them again.
import type { ToolContext } from "../../../src/tools";
import type { MethodName } from "./methods";

export class Throttle {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** Milliseconds until the method may be called again; 0 when it may be called now. */
  blockedMs(method: MethodName): number {
    const until = this.#context.cache.get<number>(keyOf(method)) ?? 0;
    return Math.max(0, until - this.#context.now());
  }

  /** Remembers that the method is blocked for so long. A shorter block never ends a longer one. */
  block(method: MethodName, ms: number): void {
    if (ms <= this.blockedMs(method)) return;
    this.#context.cache.set(keyOf(method), this.#context.now() + ms, ms);
  }
}

function keyOf(method: MethodName): string {
  return `blocked:${method}`;
}
