// Calls of the self-check: raw answers, under the quotas and with the token handling of the tools' client.
import {
  codeWord,
  GrantDead,
  type JsonObject,
  parsePlainJson,
  type RecordedCall,
  type Seen,
  type ToolContext,
} from "../../../src/tools";
import { block, blockedMs } from "../../upstream/blocks";
import { type Answer, exchange, jsonRequest } from "../../upstream/exchange";
import { MINUTE_MS } from "../limits";
import { addressOf, type Call } from "../upstream/call";
import { failureOf, rateLimited } from "../upstream/failure";
import { Quotas } from "../upstream/quota";
import { REASONS } from "../upstream/reasons";
import { problemIn, refusalIn } from "../upstream/refusal";

const HEADERS = ["retry-after", "www-authenticate", "content-encoding"];
const TIMEOUT_MS = 20_000;

export interface Asked {
  status: number;
  ok: boolean;
  body: JsonObject;
  answer: Answer;
}

/** One per run. Answers that several checks use are asked for once. */
export class SheetsProbe {
  readonly context: ToolContext;
  readonly #record: (call: RecordedCall) => void;
  readonly #quotas: Quotas;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(context: ToolContext, record: (call: RecordedCall) => void) {
    this.context = context;
    this.#record = record;
    this.#quotas = new Quotas(context);
  }

  /** Throws `ToolError` for a quota, a refused token and a failure of the platform. Other refusals are answers. */
  async ask(call: Call): Promise<Asked> {
    const { quota, method } = call;
    const ms = quota === undefined ? 0 : await blockedMs(this.context, quota);
    if (ms > 0) throw rateLimited(method, ms);
    const answer = await this.#answer(call);
    const failure = failureOf(call, answer);
    if (failure?.error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT" && quota !== undefined)
      await block(this.context, quota, failure.retryAfterMs ?? MINUTE_MS);
    if (failure !== undefined && (failure.retry !== "never" || failure.error instanceof GrantDead))
      throw failure.error;
    return { status: answer.status, ok: failure === undefined, body: answer.body ?? {}, answer };
  }

  /** Asks once in a run. */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) ?? work();
    this.#known.set(key, known);
    // Only stored under this key, with this type.
    return known as Promise<T>;
  }

  async #answer(call: Call): Promise<Answer> {
    const answer = await this.#send(call);
    if (answer.status !== 401 || !(await this.context.renew())) return answer;
    return this.#send(call);
  }

  async #send(call: Call): Promise<Answer> {
    const { context } = this;
    if (call.quota !== undefined) this.#quotas.spend(call.quota, call.method);
    const request = jsonRequest(call.body === undefined ? undefined : JSON.stringify(call.body));
    const answer = await exchange(
      context,
      call.base,
      addressOf(call),
      { ...request, method: call.verb, signal: context.signal, timeoutMs: TIMEOUT_MS },
      parsePlainJson,
    );
    if (call.quota === "writes") context.reportEffect();
    const [reason] = refusalIn(answer).reasons;
    this.#record({
      method: call.method,
      status: answer.status,
      ...(reason === undefined ? {} : { code: codeWord(reason, REASONS) }),
      headers: HEADERS.filter((name) => answer.headers.has(name)),
    });
    return answer;
  }
}

/** The status and the codes of an answer. */
export function codeSeen({ status, ok, answer }: Asked): Seen {
  if (ok) return { status };
  const refusal = refusalIn(answer);
  const [reason] = refusal.reasons;
  return {
    status,
    code: codeWord(reason, REASONS),
    code_is_listed: reason !== undefined && REASONS.has(reason),
    problem: codeWord(problemIn(refusal)),
  };
}
