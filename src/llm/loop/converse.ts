// The loop: the model is asked, its calls are run, and it is asked again with their answers, until it has no more calls.
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
import { addUsage, type Delta, type Head, streamTurn, type Turn, turnOf, type Usage } from "./turn";

/** How often a model is asked for one answer. The last time it gets no tools, so that there is an answer. */
const MOST_ROUNDS = 8;

/** After a tool has run, a failing server is asked again: the caller must not repeat the whole. */
const MOST_REPEATS = 2;
const LONGEST_WAIT_MS = 10_000;

export interface Conversation {
  core: Core;
  client: ModelClient;
  set: ToolSet;
  calls: Calls;
  body: ChatBody;
  streams: boolean;
  signal: AbortSignal;
}

/** What happens on the way: text as it is said, and messages as they are made. */
export type Step = Delta | { messages: readonly ChatMessage[] };

export interface Outcome {
  head: Head;
  content: string;
  finish: string;
  /** Calls of functions that are the caller's. */
  calls: readonly object[];
  /** The messages of the run, complete. */
  messages: readonly ChatMessage[];
  authorizations: readonly Authorization[];
  usage: Usage | undefined;
  logprobs?: unknown;
}

/** Throws what the caller is to be told; once a tool has written, in a way that keeps clients from repeating the request. */
export async function* converse(conversation: Conversation): AsyncGenerator<Step, Outcome> {
  const { calls, core } = conversation;
  try {
    return yield* rounds(conversation, core.clock.now() + core.settings["llm.timeout"] * 1000);
  } catch (thrown) {
    throw calls.wrote === 0 ? thrown : afterWrites(toRuntimeError(thrown), calls.wrote);
  }
}

async function* rounds(conversation: Conversation, deadline: number): AsyncGenerator<Step, Outcome> {
  const { set, body, core } = conversation;
  const messages: ChatMessage[] = [];
  let usage: Usage | undefined;
  for (let round = 1; ; round++) {
    const isLast = round === MOST_ROUNDS;
    const asked = {
      ...body,
      messages: [...body.messages, ...messages],
      ...(isLast ? { tool_choice: "none" } : {}),
    };
    const turn = yield* ask(conversation, asked, deadline);
    usage = addUsage(usage, turn.usage);
    const requested = withIds(turn.calls, () => `call_${newToken(core.random).slice(0, 24)}`);
    const others = requested.filter(({ name }) => set.find(name) === undefined && set.has(name));
    const own = requested.filter((call) => !others.includes(call));
    const end = (more: Partial<Outcome>): Outcome => ({
      ...outcomeOf(turn, messages, usage),
      calls: others.map(toolCall),
      ...more,
    });
    if (own.length === 0) return end({});
    const said = { role: "assistant", content: turn.text, tool_calls: own.map(toolCall) };
    yield* made(messages, said);
    if (isLast) {
      yield* made(messages, ...own.map(unanswered));
      return end({ finish: "length", calls: [] });
    }
    const { outputs, authorizations } = yield* run(conversation, own, messages);
    const finish = others.length > 0 ? "tool_calls" : "stop";
    if (authorizations.length > 0) return end({ finish, authorizations });
    if (set.running === "execute") return end({ finish, content: joined(outputs) });
    if (others.length > 0) return end({ finish });
  }
}

/** What is said when the run ends with this turn. */
function outcomeOf(turn: Turn, messages: readonly ChatMessage[], usage: Usage | undefined): Outcome {
  const { head, text: content, finish, logprobs } = turn;
  return {
    head,
    content,
    finish,
    calls: [],
    messages,
    authorizations: [],
    usage,
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

/** Messages that are part of the run from now on. */
function* made(messages: ChatMessage[], ...more: ChatMessage[]): Generator<Step, void> {
  messages.push(...more);
  yield { messages: more };
}

/** Runs the calls of a turn; their answers are messages of the run. */
async function* run(
  conversation: Conversation,
  own: readonly Call[],
  messages: ChatMessage[],
): AsyncGenerator<Step, { outputs: string[]; authorizations: Authorization[] }> {
  const outputs: string[] = [];
  // Two calls may wait for one consent.
  const owed = new Map<string, Authorization>();
  for await (const { message, output, authorization } of conversation.calls.answers(own)) {
    outputs.push(output);
    if (authorization !== undefined) owed.set(authorization.id, authorization);
    yield* made(messages, message);
  }
  throwIfGone(conversation);
  return { outputs, authorizations: [...owed.values()] };
}

async function* ask(
  conversation: Conversation,
  body: ChatBody,
  deadline: number,
): AsyncGenerator<Delta, Turn> {
  const { calls, core } = conversation;
  for (let repeats = 0; ; repeats++) {
    const progress = { begun: false };
    try {
      return yield* askOnce(conversation, body, deadline, progress);
    } catch (thrown) {
      const error = toRuntimeError(thrown);
      const wait = error.retryAfterMs ?? 500 * 2 ** repeats;
      const mayRepeat = calls.ran > 0 && !progress.begun && repeats < MOST_REPEATS && isPassing(error);
      const isTimely = wait <= LONGEST_WAIT_MS && core.clock.now() + wait < deadline;
      if (!mayRepeat || !isTimely) throw thrown;
      await core.clock.sleep(wait, conversation.signal);
      throwIfGone(conversation);
    }
  }
}

async function* askOnce(
  { core, client, set, streams, signal }: Conversation,
  body: ChatBody,
  deadline: number,
  progress: { begun: boolean },
): AsyncGenerator<Delta, Turn> {
  const limit = core.settings["llm.timeout"] * 1000;
  if (!streams) {
    // One limit for the whole; a stream is limited in how long it may be silent.
    const left = deadline - core.clock.now();
    if (left <= 0) throw gatewayTimeout(`There was no answer within ${limit / 1000} s (llm.timeout).`);
    return turnOf(await client.whole(body, { signal, timeoutMs: left }));
  }
  const turn = streamTurn(client.stream(body, { signal, timeoutMs: limit }), (name) => set.has(name));
  try {
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return next.value;
      progress.begun = true;
      yield next.value;
    }
  } finally {
    // The connection of a stream that nobody reads any more is closed.
    await turn.return(nothing()).catch(() => undefined);
  }
}

function nothing(): Turn {
  return { head: {}, text: "", calls: [], finish: "stop", usage: undefined };
}

function isPassing({ status }: RuntimeError): boolean {
  return status === 429 || status >= 500;
}

function throwIfGone({ signal }: Conversation): void {
  if (signal.aborted) throw malformedRequest("The caller was gone before the answer.");
}

function unanswered(call: Call): ChatMessage {
  const content = notRun("UNKNOWN", `Not run: a model is asked ${MOST_ROUNDS} times at most.`);
  return { role: "tool", tool_call_id: call.id, content };
}

/** The output of one call as it is; of several as a list. */
function joined(outputs: readonly string[]): string {
  const [only] = outputs;
  return outputs.length === 1 && only !== undefined ? only : JSON.stringify(outputs.map(jsonOrText));
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Clients repeat failed requests by themselves, and with them everything that has been done on the way.
function afterWrites(error: RuntimeError, wrote: number): RuntimeError {
  const done =
    wrote === 1 ? "A tool that writes has run already" : `${wrote} tools that write have run already`;
  const message = `${error.message} ${done}: look what was done before you ask again.`;
  const details = { cause: error.cause, retryAfterMs: error.retryAfterMs, shouldRetry: false };
  return error.status === 504 ? gatewayTimeout(message, details) : internalError(message, details);
}
