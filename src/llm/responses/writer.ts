// Writes a run as a response: the same items and events whether the turns of the model are whole or streamed.
import { isObject, parseJson } from "../../base";
import type { RuntimeError } from "../../errors";
import { consentNotice } from "../loop/consent-notice";
import type { Outcome, Step } from "../loop/converse";
import type { Delta } from "../loop/turn";
import { errorBody } from "../stream/events";
import type { ChatMessage, Loose } from "../upstream/client";
import { OutputItems, type ResponseEvent, type Status } from "./items";
import { keptOf } from "./kept";
import { type Namespaces, separateName } from "./names";
import { endOf } from "./record";

export interface WriterOptions {
  /** The name of the model if its server does not tell one. */
  model: string;
  /** The fields of the request that every response repeats. */
  echoed: Loose;
  namespaces: Namespaces;
  /** `execute`: the answer is only the output, without text before the calls. */
  outputOnly: boolean;
  newId(prefix: string): string;
  /** Seconds since 1970. */
  now(): number;
}

export class ResponseWriter {
  readonly #options: WriterOptions;
  readonly #items: OutputItems;
  #sequence = 0;
  #record: Loose | undefined;
  /** Ids of the newest items by the ids of the calls that this server runs. */
  readonly #runs = new Map<string, string>();
  /** Whether anything of the current turn was written. */
  #hasSaid = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#items = new OutputItems(options.newId);
  }

  step(step: Step): ResponseEvent[] {
    if ("messages" in step) {
      const first = this.#begin(step.messages[0]?.["model"]);
      for (const message of step.messages) this.#message(message);
      return this.#numbered(first);
    }
    const first = this.#begin(step.head.model);
    if (!this.#options.outputOnly) this.#delta(step);
    return this.#numbered(first);
  }

  end(outcome: Outcome): ResponseEvent[] {
    const { head, content, calls, more, authorizations, isInMessages, logprobs } = outcome;
    const first = this.#begin(head.model);
    const ended = endOf(outcome, this.#options.now());
    const status: Status = ended["status"] === "completed" ? "completed" : "incomplete";
    const isNew = !isInMessages || (this.#options.outputOnly && authorizations.length === 0);
    this.#turn(
      { ...(isInMessages ? {} : more), role: "assistant", content: isNew ? content : "", tool_calls: calls },
      isNew,
      status,
      logprobsOf(logprobs),
    );
    const notice = consentNotice(authorizations);
    if (notice !== "") this.#items.addText(notice, []);
    this.#items.close();
    for (const call of calls) this.#call(call, status);
    const response = { ...this.#record, ...ended, output: this.#items.items };
    return this.#numbered([...first, ...this.#items.takeEvents(), { type: `response.${status}`, response }]);
  }

  /** The last events of a failed stream, for clients that read one or the other. */
  failed(error: RuntimeError): ResponseEvent[] {
    const { name, message } = error;
    const response = {
      ...this.#record,
      status: "failed",
      error: { code: error.status === 429 ? "rate_limit_exceeded" : "server_error", message },
      output: this.#items.items,
    };
    const failed = this.#record === undefined ? [] : [{ type: "response.failed", response }];
    return this.#numbered([
      ...failed,
      { type: "error", code: name, message, param: null, error: errorBody(error) },
    ]);
  }

  #begin(model: unknown): ResponseEvent[] {
    if (this.#record !== undefined) return [];
    const { newId, now, echoed, model: named } = this.#options;
    this.#record = {
      id: newId("resp"),
      object: "response",
      created_at: now(),
      status: "in_progress",
      error: null,
      incomplete_details: null,
      model: typeof model === "string" ? model : named,
      output: [],
      usage: null,
      ...echoed,
    };
    const response = this.#record;
    return [
      { type: "response.created", response },
      { type: "response.in_progress", response },
    ];
  }

  #delta({ delta, logprobs }: Delta): void {
    const [reasoning, { content, refusal }] = [reasoningOf(delta), delta];
    if (reasoning !== "") this.#items.addReasoning(reasoning);
    if (typeof content === "string" && content !== "") this.#items.addText(content, logprobsOf(logprobs));
    if (typeof refusal === "string" && refusal !== "") this.#items.addRefusal(refusal);
    this.#hasSaid ||= [reasoning, content, refusal].some((text) => typeof text === "string" && text !== "");
  }

  #message(message: ChatMessage): void {
    const { role, content, tool_call_id: id, tool_calls: calls } = message;
    if (role === "tool") {
      const known = this.#runs.get(String(id)) ?? String(id);
      return this.#items.endRun(known, String(content), errorIn(content));
    }
    const requested = (Array.isArray(calls) ? calls.filter(isObject) : []).map((call) =>
      this.#withOwnId(call),
    );
    this.#turn({ ...message, tool_calls: requested }, !this.#options.outputOnly);
    for (const call of requested) {
      const { name, arguments: text } = isObject(call["function"]) ? call["function"] : {};
      this.#items.startRun(String(call["id"]), String(name), String(text));
    }
  }

  // Servers may use the same id in each turn, and clients refuse two items with one id.
  #withOwnId(call: Loose): Loose {
    const given = String(call["id"]);
    const id = this.#items.has(given) ? this.#options.newId("mcp") : given;
    this.#runs.set(given, id);
    return { ...call, id };
  }

  /** The rest of a turn whose message is complete. */
  #turn(
    message: ChatMessage,
    hasText: boolean,
    status: Status = "completed",
    logprobs: readonly unknown[] = [],
  ): void {
    const kept = keptOf(message);
    if (this.#hasSaid) this.#items.close(kept, status);
    else {
      const { content, refusal } = message;
      const reasoning = reasoningOf(message);
      if (reasoning !== "") this.#items.addReasoning(reasoning);
      this.#items.close(kept);
      if (hasText && typeof content === "string" && content !== "") this.#items.addText(content, logprobs);
      if (hasText && typeof refusal === "string" && refusal !== "") this.#items.addRefusal(refusal);
      this.#items.close(undefined, status);
    }
    this.#hasSaid = false;
  }

  #call(call: unknown, status: Status): void {
    if (!isObject(call) || !isObject(call["function"])) return;
    const { name, arguments: text } = call["function"];
    this.#items.addCall(
      {
        call_id: String(call["id"]),
        ...separateName(String(name), this.#options.namespaces),
        arguments: String(text),
      },
      status,
    );
  }

  #numbered(first: readonly ResponseEvent[]): ResponseEvent[] {
    return [...first, ...this.#items.takeEvents()].map((event) => ({
      ...event,
      sequence_number: this.#sequence++,
    }));
  }
}

/** The reasoning of a message or of a piece as text. Servers have two names for it. */
function reasoningOf({ reasoning_content: older, reasoning: newer }: Loose): string {
  const given = [older, newer].find((text) => typeof text === "string");
  return typeof given === "string" ? given : "";
}

function logprobsOf(logprobs: unknown): unknown[] {
  const list = isObject(logprobs) ? logprobs["content"] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The message of the error that a tool message contains. */
function errorIn(content: unknown): string | undefined {
  if (typeof content !== "string" || !content.startsWith('{"error":{"kind":')) return undefined;
  try {
    const value = parseJson(content);
    const error = isObject(value) ? value["error"] : undefined;
    return isObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
  } catch {
    return undefined;
  }
}
