// The answer of a run as a response, whole or as a stream of events.
import type { RuntimeError } from "../../errors";
import type { Steps } from "../loop/answer";
import type { Outcome } from "../loop/converse";
import type { ResponseEvent } from "./items";
import type { ResponseWriter } from "./writer";

/** Runs to the end and returns the response. */
export async function wholeResponse(steps: Steps, writer: ResponseWriter): Promise<unknown> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return writer.end(next.value).at(-1)?.["response"];
    writer.step(next.value);
  }
}

/** The events as text. */
export async function* streamedResponse(steps: Steps, writer: ResponseWriter): AsyncGenerator<string, void> {
  let outcome: Outcome | undefined;
  try {
    while (outcome === undefined) {
      const next = await steps.next();
      if (next.done === true) outcome = next.value;
      else yield* texts(writer.step(next.value));
    }
  } finally {
    // Closes the connection if the caller stops reading.
    await steps.return(NOTHING).catch(() => undefined);
  }
  yield* texts(writer.end(outcome));
}

/** The last events of a failed stream. */
export function failedResponse(error: RuntimeError, writer: ResponseWriter): string {
  return writer.failed(error).map(eventText).join("");
}

/** The same for a stream that is passed through. */
export function failedPass({ name, message }: RuntimeError): string {
  const error = { message, type: name, code: name };
  return eventText({ type: "error", code: name, message, param: null, error });
}

function* texts(events: readonly ResponseEvent[]): Generator<string, void> {
  if (events.length > 0) yield events.map(eventText).join("");
}

function eventText(event: ResponseEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const NOTHING: Outcome = {
  head: {},
  content: "",
  finish: "stop",
  calls: [],
  messages: [],
  authorizations: [],
  isInMessages: false,
  usage: undefined,
  more: {},
};
