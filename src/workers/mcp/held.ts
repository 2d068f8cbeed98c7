// Calls at servers with sessions that wait for the answer of a user. Such a server asks while it works, and a client of revision
// 2026-07-28 answers with its next request: the call goes on between the two runs, in the memory of this process.
import { type Alarm, type Json, type JsonObject, setAlarm } from "../../base";
import { METHOD_NOT_FOUND, type PeerOptions, RpcError, type Send } from "../../mcp";
import type { InputRequest } from "../../tools";

/** The run that a call belongs to at the moment. */
export interface HoldingRun extends Pick<PeerOptions, "notified"> {
  send: Send;
  signal: AbortSignal;
}

type Outcome = { result: JsonObject } | { questions: Record<string, InputRequest> };

const MOST_QUESTIONS = 20;
/** For one request, also while a user thinks: the outbound client cuts it to its own limit. */
const THINKING_MS = 5 * 60_000;

export class HeldCall {
  /** The key of the session: whose call it is. */
  readonly owner: string;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, { request: InputRequest; answer: PromiseWithResolvers<JsonObject> }>();
  #asked = Promise.withResolvers<void>();
  #count = 0;
  #run: HoldingRun | undefined;
  #outcome: Promise<JsonObject> | undefined;
  #isOver = false;

  constructor(owner: string) {
    this.owner = owner;
  }

  /** What the requests of the call use: the run that it belongs to at that time. */
  get options(): Pick<PeerOptions, "send" | "signal" | "notified" | "asked"> {
    return {
      send: (request) => this.#sending()({ ...request, timeoutMs: THINKING_MS }),
      signal: this.#stop.signal,
      notified: (method, params) => this.#run?.notified?.(method, params),
      asked: (method, params) => this.#ask(method, params),
    };
  }

  /** Goes on in a run, which ends the call if it ends itself. */
  attach(run: HoldingRun): void {
    this.#run = run;
    run.signal.addEventListener("abort", this.end);
    if (run.signal.aborted) this.end();
  }

  begin(outcome: Promise<JsonObject>): void {
    this.#outcome = outcome;
    const over = (): void => {
      this.#isOver = true;
      this.#asked.resolve();
    };
    outcome.then(over, over);
  }

  answer(answers: JsonObject): void {
    this.#asked = Promise.withResolvers();
    for (const [key, { answer }] of this.#open) answer.resolve(given(answers[key]));
    this.#open.clear();
  }

  /** The result, or questions. Rejects as the call does. */
  async settled(): Promise<Outcome> {
    await this.#asked.promise;
    this.#run?.signal.removeEventListener("abort", this.end);
    if (this.#isOver && this.#outcome !== undefined) return { result: await this.#outcome };
    const questions = [...this.#open].map(([key, { request }]) => [key, request] as const);
    return { questions: Object.fromEntries(questions) };
  }

  readonly end = (): void => this.#stop.abort();

  #sending(): Send {
    if (this.#run === undefined) throw new Error("the call belongs to no run");
    return this.#run.send;
  }

  async #ask(method: string, params: JsonObject): Promise<JsonObject> {
    if (method !== "elicitation/create" || this.#open.size >= MOST_QUESTIONS)
      throw new RpcError(METHOD_NOT_FOUND, "Method not found");
    const answer = Promise.withResolvers<JsonObject>();
    this.#open.set(`question-${++this.#count}`, { request: { method, params }, answer });
    this.#asked.resolve();
    return answer.promise;
  }
}

/** A client may leave a question out. */
function given(answer: Json | undefined): JsonObject {
  const isAnswer = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  return isAnswer ? answer : { action: "cancel" };
}

const MOST_HELD = 200;
const HELD_MS = 5 * 60_000;

/** Calls between two runs. */
export class HeldCalls {
  readonly #held = new Map<string, { call: HeldCall; alarm: Alarm }>();

  /** Keeps a call for its next run, and returns its name. */
  keep(call: HeldCall): string {
    const id = crypto.randomUUID();
    const alarm = setAlarm(HELD_MS, () => this.#end(id));
    this.#held.set(id, { call, alarm });
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_HELD && oldest !== undefined) this.#end(oldest);
    return id;
  }

  /** The call, if it is the owner's. Each can be taken once. */
  take(id: string, owner: string): HeldCall | undefined {
    const kept = this.#held.get(id);
    if (kept === undefined || kept.call.owner !== owner) return undefined;
    this.#held.delete(id);
    kept.alarm.cancel();
    return kept.call;
  }

  /** Ends all of them. */
  close(): void {
    for (const id of this.#held.keys()) this.#end(id);
  }

  #end(id: string): void {
    const kept = this.#held.get(id);
    this.#held.delete(id);
    kept?.alarm.cancel();
    kept?.call.end();
  }
}
