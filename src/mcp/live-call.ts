// Calls whose MCP server asks the user while it works, for clients of revision 2026-07-28. These get the question as the result,
// and answer it by calling again. Meanwhile the run goes on in this process.
import { type JsonObject, LazyAbort } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import { type Execution, fatal, type InputRequest } from "../tools";
import type { Heard, ToolCall } from "./call";

/** What happens next in a run. A rejection is that of the run. */
export type Next = { execution: Execution } | { question: InputRequest };

interface Question {
  request: InputRequest;
  answer: PromiseWithResolvers<JsonObject>;
}

export class LiveCall {
  readonly stop = new LazyAbort();
  /** What the run tells besides its outcome. */
  readonly heard: Heard = { requests: [], answered: undefined };
  /** The request that waits for the run now; undefined while the user is asked. */
  current: ToolCall | undefined;
  readonly #questions: Question[] = [];
  #asked = Promise.withResolvers<void>();
  #execution: Promise<Execution> | undefined;

  /** `call` waits from now on. */
  attach(call: ToolCall): void {
    this.current = call;
    if (call.signal.aborted) this.stop.abort();
    call.signal.addEventListener("abort", () => {
      if (this.current === call) this.stop.abort();
    });
  }

  start(run: () => Promise<Execution>): void {
    this.#execution = run();
    // The client may never call again.
    this.#execution.catch(() => undefined).finally(() => this.end());
  }

  ask(request: InputRequest): Promise<JsonObject> {
    const answer = Promise.withResolvers<JsonObject>();
    answer.promise.catch(() => undefined);
    this.#questions.push({ request, answer });
    this.#asked.resolve();
    return answer.promise;
  }

  /** Throws what the run throws. */
  async next(): Promise<Next> {
    if (this.#execution === undefined) throw new Error("the call has not been started");
    const [open] = this.#questions;
    if (open !== undefined) return { question: open.request };
    const execution = await Promise.race([this.#execution, this.#asked.promise]);
    return execution === undefined ? this.next() : { execution };
  }

  /** Answers the question that `next` has returned. */
  reply(answer: JsonObject | Error): void {
    const question = this.#questions.shift();
    if (this.#questions.length === 0) this.#asked = Promise.withResolvers<void>();
    if (answer instanceof Error) question?.answer.reject(answer);
    else question?.answer.resolve(answer);
  }

  /** The run has ended: nothing waits for answers any more. */
  end(): void {
    while (this.#questions.length > 0) this.reply(fatal("The call has ended before the user answered."));
  }

  /** Calls `then` when the run has ended. */
  ended(then: () => void): void {
    this.#execution?.catch(() => undefined).finally(then);
  }
}

/** Runs that may wait at the same time. Each ends with its time limit. */
const MOST = 1000;

export class LiveCalls {
  readonly #core: Pick<Core, "random">;
  readonly #parked = new Map<string, LiveCall>();

  constructor(core: Pick<Core, "random">) {
    this.#core = core;
  }

  /** Keeps a run while its user is asked, and returns its id; undefined if too many wait. */
  park(live: LiveCall): string | undefined {
    if (this.#parked.size >= MOST) return undefined;
    const id = newToken(this.#core.random);
    live.current = undefined;
    this.#parked.set(id, live);
    live.ended(() => this.#parked.delete(id));
    return id;
  }

  /** The run is no longer kept. Undefined if it has ended, or if it runs in another process. */
  take(id: string): LiveCall | undefined {
    const live = this.#parked.get(id);
    this.#parked.delete(id);
    return live;
  }
}
