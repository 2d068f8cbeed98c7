// The answer of a loop, whole or as a stream of events. Both carry the messages of the run and the consents that are
// owed; in a stream each message also comes in a `delta` when it is made.
import type { Core } from "../../core";
import { newToken } from "../../crypto";
import { DONE, event } from "../stream/events";
import type { Outcome, Step } from "./converse";
import type { Head, Usage } from "./turn";

export type Steps = AsyncGenerator<Step, Outcome>;

/** Runs to the end, and answers a `chat.completion`. */
export async function wholeAnswer(core: Core, steps: Steps, model: string): Promise<object> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return completionOf(core, next.value, model);
  }
}

function completionOf(core: Core, outcome: Outcome, model: string): object {
  const { content, calls, finish, usage, logprobs } = outcome;
  const message = { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  return {
    ...named(core, outcome.head, model, "chat.completion"),
    choices: [
      {
        index: 0,
        message,
        finish_reason: finish,
        ...(logprobs === undefined ? {} : { logprobs }),
        ...runOf(outcome),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  };
}

function runOf({ messages, authorizations }: Outcome): object {
  return {
    ...(messages.length === 0 ? {} : { tool_messages: messages }),
    ...(authorizations.length === 0 ? {} : { tool_authorizations: authorizations }),
  };
}

function named(core: Core, head: Head, model: string, object: string): object {
  const { id, created, model: answered = model, system_fingerprint: fingerprint } = head;
  return {
    id: id ?? `chatcmpl-${newToken(core.random).slice(0, 24)}`,
    object,
    created: created ?? Math.floor(core.clock.now() / 1000),
    model: answered,
    ...(fingerprint === undefined ? {} : { system_fingerprint: fingerprint }),
  };
}

export interface StreamOptions {
  model: string;
  /** `execute`: text before a call is not part of the answer, which is the output alone. */
  outputOnly: boolean;
  includeUsage: boolean;
}

/** The texts of the events of a run, with `[DONE]` at the end of one that ends well. */
export async function* streamedAnswer(
  core: Core,
  steps: Steps,
  options: StreamOptions,
): AsyncGenerator<string, void> {
  const writer = new Writer(core, options);
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return yield writer.closing(next.value);
    const text = writer.step(next.value);
    if (text !== "") yield text;
  }
}

/** Chunks under one id and one model, whatever the turns of a run call themselves. */
class Writer {
  readonly #core: Core;
  readonly #options: StreamOptions;
  #name: object | undefined;
  /** Text was said in an earlier turn: what is said now begins a new paragraph. */
  #paragraph = false;
  #said = false;

  constructor(core: Core, options: StreamOptions) {
    this.#core = core;
    this.#options = options;
  }

  step(step: Step): string {
    if ("messages" in step) {
      this.#paragraph = this.#said;
      return this.#chunk({}, { tool_messages: step.messages });
    }
    const { head, delta, logprobs } = step;
    if (this.#options.outputOnly) return "";
    const { content, ...more } = delta;
    const text = typeof content === "string" && this.#paragraph ? `\n\n${content}` : content;
    if (typeof content === "string") {
      this.#paragraph = false;
      this.#said = true;
    }
    return this.#chunk(head, { ...more, ...(text === undefined ? {} : { content: text }) }, { logprobs });
  }

  closing(outcome: Outcome): string {
    const { head, content, calls, finish, usage } = outcome;
    const whole = this.#options.outputOnly && content !== "" ? this.#chunk(head, { content }) : "";
    const asked = calls.map((call, index) => ({ index, ...call }));
    const own = asked.length === 0 ? "" : this.#chunk(head, { tool_calls: asked });
    const last = this.#chunk(head, {}, { finish, run: runOf(outcome) });
    return whole + own + last + (this.#options.includeUsage ? this.#usage(head, usage) : "") + DONE;
  }

  #chunk(
    head: Head,
    delta: object,
    { logprobs, finish = null, run = {} }: { logprobs?: unknown; finish?: string | null; run?: object } = {},
  ): string {
    const isFirst = this.#name === undefined;
    const choice = {
      index: 0,
      delta: isFirst ? { role: "assistant", ...delta } : delta,
      finish_reason: finish,
      ...(logprobs === undefined ? {} : { logprobs }),
      ...run,
    };
    return event({ ...this.#named(head), choices: [choice] });
  }

  #usage(head: Head, usage: Usage | undefined): string {
    return event({ ...this.#named(head), choices: [], usage: usage ?? null });
  }

  #named(head: Head): object {
    return (this.#name ??= named(this.#core, head, this.#options.model, "chat.completion.chunk"));
  }
}
