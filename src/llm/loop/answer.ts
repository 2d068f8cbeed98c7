// The answer of a loop, whole or as a stream of events. Both contain the messages of the run and the missing consents; a
// stream also has each message in an event of its own as soon as it exists.
import type { Core } from "../../core";
import { newToken } from "../../crypto";
import { DONE, event } from "../stream/events";
import { consentNotice, withNotice } from "./consent-notice";
import type { Outcome, Step } from "./converse";
import type { Head } from "./turn";
import type { Usage } from "./usage";

export type Steps = AsyncGenerator<Step, Outcome>;

/** Runs the loop to its end and returns a `chat.completion`. */
export async function wholeAnswer(core: Core, steps: Steps, model: string): Promise<object> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return completionOf(core, next.value, model);
  }
}

function completionOf(core: Core, outcome: Outcome, model: string): object {
  const { content, calls, finish, usage, logprobs, more } = outcome;
  const message = {
    role: "assistant",
    content: withNotice(content, consentNotice(outcome.authorizations)),
    ...more,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
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
  const { id, created, model: used = model, system_fingerprint: fingerprint } = head;
  return {
    id: id ?? `chatcmpl-${newToken(core.random).slice(0, 24)}`,
    object,
    created: created ?? Math.floor(core.clock.now() / 1000),
    model: used,
    ...(fingerprint === undefined ? {} : { system_fingerprint: fingerprint }),
  };
}

export interface StreamOptions {
  model: string;
  /** `execute`: the answer is only the output, without text before the calls. */
  outputOnly: boolean;
  includeUsage: boolean;
}

/** The events of a run as text, with `[DONE]` at the end of a successful one. */
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

/** Writes chunks with one id and one model for all turns of a run. */
class Writer {
  readonly #core: Core;
  readonly #options: StreamOptions;
  #name: object | undefined;
  /** An earlier turn had text, so the next text starts a new paragraph. */
  #paragraph = false;
  #hasText = false;

  constructor(core: Core, options: StreamOptions) {
    this.#core = core;
    this.#options = options;
  }

  step(step: Step): string {
    if ("messages" in step) {
      this.#paragraph = this.#hasText;
      return this.#chunk({}, { tool_messages: step.messages });
    }
    const { head, delta, logprobs } = step;
    if (this.#options.outputOnly) return "";
    const { content, ...others } = delta;
    // Lists and objects are of one turn: those of the last one are in the closing chunk.
    const more = Object.fromEntries(Object.entries(others).filter(([, value]) => typeof value !== "object"));
    if (content === undefined && Object.keys(more).length === 0) return "";
    const text = typeof content === "string" && this.#paragraph ? `\n\n${content}` : content;
    if (typeof content === "string") {
      this.#paragraph = false;
      this.#hasText = true;
    }
    return this.#chunk(head, { ...more, ...(text === undefined ? {} : { content: text }) }, { logprobs });
  }

  closing(outcome: Outcome): string {
    const { head, calls, finish, usage, more } = outcome;
    const structured = Object.entries(more).filter(([, value]) => typeof value === "object");
    const rest = this.#rest(outcome);
    const whole = rest === "" ? "" : this.#chunk(head, { content: rest });
    const indexed = calls.map((call, index) => ({ index, ...call }));
    const own = indexed.length === 0 ? "" : this.#chunk(head, { tool_calls: indexed });
    const last = this.#chunk(head, Object.fromEntries(structured), { finish, run: runOf(outcome) });
    return whole + own + last + (this.#options.includeUsage ? this.#usage(head, usage) : "") + DONE;
  }

  /** The text that was not sent before. */
  #rest({ content, authorizations }: Outcome): string {
    const notice = consentNotice(authorizations);
    if (this.#options.outputOnly) return withNotice(content, notice);
    return notice !== "" && this.#hasText ? `\n\n${notice}` : notice;
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
