// The loop: sends the conversation to the model, runs its calls and sends their answers, until there are no more calls.
import { parseJson } from "../../base";
import { contentFields } from "../content-parts";
import type { Core } from "../../core";
import type { Authorization } from "../../authorization";
import { newToken } from "../../crypto";
import {
  gatewayTimeout,
  internalError,
  malformedRequest,
  type RuntimeError,
  toRuntimeError,
} from "../../errors";
import type { ChatBody, ChatMessage, ModelClient } from "../upstream/client";
import { type Call, toolCall, withIds } from "./call";
import type { Calls } from "./calls";
import { notRun } from "./result";
import type { ToolSet } from "./tool-set";
import { assistantMessage, type Delta, type Head, streamTurn, type Turn, turnOf } from "./turn";
import { addUsage, type Usage } from "./usage";

/** The maximum number of requests to the model. The last one has no tools, so that the model answers. */
const MAX_ROUNDS = 8;

/** In one answer. Each is told to the model and to the caller, also if it is not run. */
const MOST_CALLS = 1000;

/** After a tool has run, requests to a failing server are retried, so that the caller need not repeat everything. */
const MAX_RETRIES = 2;
const MAX_WAIT_MS = 10_000;

export interface Conversation {
  core: Core;
  client: ModelClient;
  set: ToolSet;
  calls: Calls;
  body: ChatBody;
  streams: boolean;
  signal: AbortSignal;
}

/** An intermediate result: text of the model, or new messages. */
export type Step = Delta | { messages: readonly ChatMessage[] };

export interface Outcome {
  head: Head;
  content: string;
  finish: string;
  /** Calls of the caller's own functions. */
  calls: readonly object[];
  /** All messages of the run. */
  messages: readonly ChatMessage[];
  authorizations: readonly Authorization[];
  /** Whether the message of the last turn is one of `messages`. */
  isInMessages: boolean;
  usage: Usage | undefined;
  /** The fields of the last message that servers expect back, besides content and calls. */
  more: { [field: string]: unknown };
  logprobs?: unknown;
}

/** Throws the error for the caller. After a tool has written, clients must not repeat the request automatically. */
export async function* converse(conversation: Conversation): AsyncGenerator<Step, Outcome> {
  const { calls, core } = conversation;
  try {
    return yield* rounds(conversation, core.clock.monotonic() + core.settings["llm.timeout"] * 1000);
  } catch (thrown) {
    throw calls.wrote === 0 ? thrown : afterWrites(toRuntimeError(thrown), calls.wrote);
  }
}

async function* rounds(conversation: Conversation, deadline: number): AsyncGenerator<Step, Outcome> {
  const { set, body, core } = conversation;
  const messages: ChatMessage[] = [];
  let usage: Usage | undefined;
  for (let round = 1; ; round++) {
    const isLast = round === MAX_ROUNDS;
    const request = {
      ...body,
      messages: [...body.messages, ...messages],
      ...(isLast ? { tool_choice: "none" } : {}),
    };
    const turn = yield* ask(conversation, request, deadline);
    usage = addUsage(usage, turn.usage);
    if (turn.calls.length > MOST_CALLS)
      throw internalError(
        `The model asks for more than ${MOST_CALLS} calls in one answer. Ask for less at once.`,
      );
    const requested = withIds(turn.calls, () => `call_${newToken(core.random).slice(0, 24)}`);
    const isOfCaller = ({ name }: Call): boolean => set.find(name) === undefined && set.has(name);
    const others = requested.filter(isOfCaller);
    const own = requested.filter((call) => !isOfCaller(call));
    const end = (more: Partial<Outcome>): Outcome => ({
      ...outcomeOf(turn, messages, usage),
      calls: others.map(toolCall),
      isInMessages: own.length > 0,
      ...more,
    });
    if (own.length === 0) return end({});
    yield* add(messages, assistantMessage(turn, own));
    if (isLast) {
      yield* add(messages, ...own.map(unanswered));
      return end({ finish: "length", calls: [] });
    }
    const { outputs, authorizations } = yield* run(conversation, own, messages);
    const finish = others.length > 0 ? "tool_calls" : "stop";
    if (authorizations.length > 0) return end({ finish, authorizations });
    if (set.running === "execute") return end({ finish, content: joined(outputs), more: {} });
    if (others.length > 0) return end({ finish });
  }
}

/** The outcome of a run that ends with this turn. */
export function outcomeOf(turn: Turn, messages: readonly ChatMessage[], usage: Usage | undefined): Outcome {
  const { head, text: content, finish, logprobs, message } = turn;
  const { role: _, content: given, ...fields } = message;
  const { content: __, ...parts } = contentFields(given, content);
  const more = { ...fields, ...parts };
  return {
    head,
    content,
    finish,
    calls: [],
    messages,
    authorizations: [],
    isInMessages: false,
    usage,
    more,
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

/** Adds messages to the run. */
function* add(messages: ChatMessage[], ...more: ChatMessage[]): Generator<Step, void> {
  messages.push(...more);
  yield { messages: more };
}

/** Runs the calls of a turn and adds their answers to the run. */
async function* run(
  conversation: Conversation,
  own: readonly Call[],
  messages: ChatMessage[],
): AsyncGenerator<Step, { outputs: string[]; authorizations: Authorization[] }> {
  const outputs: string[] = [];
  // Two calls may require the same consent.
  const consents = new Map<string, Authorization>();
  for await (const { message, output, authorization } of conversation.calls.answers(own)) {
    outputs.push(output);
    if (authorization !== undefined) consents.set(authorization.id, authorization);
    yield* add(messages, message);
  }
  throwIfGone(conversation);
  return { outputs, authorizations: [...consents.values()] };
}

async function* ask(
  conversation: Conversation,
  body: ChatBody,
  deadline: number,
): AsyncGenerator<Delta, Turn> {
  const { calls, core } = conversation;
  for (let retries = 0; ; retries++) {
    const progress = { started: false };
    try {
      return yield* askOnce(conversation, body, deadline, progress);
    } catch (thrown) {
      const error = toRuntimeError(thrown);
      const wait = error.retryAfterMs ?? 500 * 2 ** retries;
      const mayRetry = calls.ran > 0 && !progress.started && retries < MAX_RETRIES && isTransient(error);
      const isTimely = wait <= MAX_WAIT_MS && core.clock.monotonic() + wait < deadline;
      if (!mayRetry || !isTimely) throw thrown;
      await core.clock.sleep(wait, conversation.signal);
      throwIfGone(conversation);
    }
  }
}

async function* askOnce(
  { core, client, set, streams, signal }: Conversation,
  body: ChatBody,
  deadline: number,
  progress: { started: boolean },
): AsyncGenerator<Delta, Turn> {
  const limit = core.settings["llm.timeout"] * 1000;
  if (!streams) {
    // The time limit is for the whole answer; for a stream it is the longest pause.
    const left = deadline - core.clock.monotonic();
    if (left <= 0) throw gatewayTimeout(`There was no answer within ${limit / 1000} s (llm.timeout).`);
    return turnOf(await client.whole(body, { signal, timeoutMs: left }));
  }
  const turn = streamTurn(client.stream(body, { signal, timeoutMs: limit }), (name) => set.has(name));
  try {
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return next.value;
      progress.started = true;
      yield next.value;
    }
  } finally {
    // Closes the connection if the caller stops reading.
    await turn.return(emptyTurn()).catch(() => undefined);
  }
}

function emptyTurn(): Turn {
  return { head: {}, message: {}, text: "", calls: [], finish: "stop", isCut: false, usage: undefined };
}

function isTransient({ status }: RuntimeError): boolean {
  return status === 429 || status >= 500;
}

function throwIfGone({ signal }: Conversation): void {
  if (signal.aborted) throw malformedRequest("The caller disconnected before the answer.");
}

function unanswered(call: Call): ChatMessage {
  const content = notRun("UNKNOWN", `Not run: at most ${MAX_ROUNDS} requests are made to the model.`);
  return { role: "tool", tool_call_id: call.id, content };
}

/** The output of one call unchanged; of several calls as a list. */
function joined(outputs: readonly string[]): string {
  const [only] = outputs;
  return outputs.length === 1 && only !== undefined ? only : JSON.stringify(outputs.map(jsonOrText));
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

// Clients retry failed requests automatically, which would repeat everything that was done before the failure.
function afterWrites(error: RuntimeError, wrote: number): RuntimeError {
  const done =
    wrote === 1 ? "A tool that writes has already run" : `${wrote} tools that write have already run`;
  const message = `${error.message} ${done}. Check what was done before you try again.`;
  const details = { cause: error.cause, retryAfterMs: error.retryAfterMs, shouldRetry: false };
  return error.status === 504 ? gatewayTimeout(message, details) : internalError(message, details);
}
