// A deployment with tools that record their runs, and one way to look at an answer, whole or streamed.
import { type Clock, type JsonObject, systemClock } from "../../../src/base";
import { type ChatSite, startChatSite } from "../../support/chat-site";
import { at } from "../../support/api";
import { type Act, testCatalog, type TestCatalog } from "../../tools/catalog";

/** Names of the tools that requests offer: one that reads, one that writes, one that needs a grant, one that echoes. */
export const TOOLS = ["Test.Look", "Test.Act", "Test.ActFor", "Test.Echo"];

export interface Stage extends AsyncDisposable {
  readonly chat: ChatSite;
  readonly test: TestCatalog;
  /** Inputs of the runs of `Look`, `Act` and `ActFor`, in order. */
  readonly runs: JsonObject[];
  /** What these do from now on. */
  act(act: Act): void;
  /** Forgets what was. */
  reset(): void;
}

/** Waits of the server that are asked for in seconds take no time here. */
const impatient: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
};

export async function startStage(environment: Record<string, string> = {}): Promise<Stage> {
  const test = testCatalog();
  const chat = await startChatSite({
    moreCatalogs: [test.catalog],
    environment,
    parts: { clock: impatient },
  });
  const runs: JsonObject[] = [];
  const act = (doing: Act): void => {
    test.act = (input, context) => {
      // Inputs of tools are JSON.
      runs.push(input as JsonObject);
      return doing(input, context);
    };
  };
  const reset = (): void => {
    runs.length = 0;
    chat.upstream.requests.length = 0;
    chat.upstream.refusals.length = 0;
    chat.upstream.exchanges.length = 0;
    act(async (input) => ({ did: input["text"] ?? null }));
  };
  reset();
  const operator = await chat.site.runtime.identity.operator("default");
  await chat.site.runtime.providers.create(operator, {
    id: "idp",
    oauth2: {
      client_id: "client",
      client_secret: "client-secret",
      authorize_request: { endpoint: "https://idp.invalid/authorize" },
      token_request: { endpoint: "https://idp.invalid/token" },
    },
  });
  return { chat, test, runs, act, reset, [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose]() };
}

/** What a caller sees, whichever form it asked for. */
export interface Seen {
  status: number;
  headers: Headers;
  content: string;
  finish: unknown;
  calls: { id: string; name: string; arguments: string }[];
  messages: { role: string; content: string; tool_call_id?: string; tool_calls?: unknown[] }[];
  authorizations: { url?: string; status: string }[];
  usage: unknown;
  /** Message of the error, by status or inside of the stream. */
  error: string | undefined;
  /** A stream that says that it is complete. */
  done: boolean;
  model: unknown;
  ids: Set<unknown>;
}

export async function ask(chat: ChatSite, body: object, stream: boolean): Promise<Seen> {
  const { status, headers, text } = stream
    ? await streamed(chat, { ...body, stream: true })
    : await chat.ask(body);
  return stream && status === 200 ? ofStream(text, headers) : ofWhole(status, headers, text);
}

async function streamed(chat: ChatSite, body: object) {
  const response = await chat.send(body);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function ofWhole(status: number, headers: Headers, text: string): Seen {
  const body: unknown = JSON.parse(text);
  const message = at(body, "choices.0.message");
  return {
    status,
    headers,
    content: String(at(message, "content") ?? ""),
    finish: at(body, "choices.0.finish_reason"),
    calls: callsOf(at(message, "tool_calls")),
    messages: listOf(at(body, "choices.0.tool_messages")),
    authorizations: listOf(at(body, "choices.0.tool_authorizations")),
    usage: at(body, "usage"),
    error: status === 200 ? undefined : String(at(body, "message")),
    done: status === 200,
    model: at(body, "model"),
    ids: new Set([at(body, "id")]),
  };
}

function ofStream(text: string, headers: Headers): Seen {
  const seen = ofWhole(200, headers, "{}");
  seen.done = false;
  seen.ids = new Set();
  const incremental: unknown[] = [];
  for (const block of text.split("\n\n").filter((one) => one.startsWith("data: "))) {
    if (block === "data: [DONE]") {
      seen.done = true;
      continue;
    }
    const chunk: unknown = JSON.parse(block.slice("data: ".length));
    if (at(chunk, "error") !== undefined) seen.error = String(at(chunk, "error.message"));
    if (at(chunk, "id") !== undefined) seen.ids.add(at(chunk, "id"));
    seen.model = at(chunk, "model") ?? seen.model;
    seen.content += String(at(chunk, "choices.0.delta.content") ?? "");
    seen.finish = at(chunk, "choices.0.finish_reason") ?? seen.finish;
    seen.usage = at(chunk, "usage") ?? seen.usage;
    seen.calls.push(...callsOf(at(chunk, "choices.0.delta.tool_calls")));
    incremental.push(...listOf<unknown>(at(chunk, "choices.0.delta.tool_messages")));
    seen.messages = listOf(at(chunk, "choices.0.tool_messages") ?? seen.messages);
    seen.authorizations = listOf(at(chunk, "choices.0.tool_authorizations") ?? seen.authorizations);
  }
  // What came on the way is what stands at the end.
  if (seen.done && !Bun.deepEquals(incremental, seen.messages)) {
    throw new Error(`messages on the way differ from those at the end: ${JSON.stringify(incremental)}`);
  }
  return seen;
}

function callsOf(calls: unknown): Seen["calls"] {
  return listOf(calls).map((call) => ({
    // In a stream a later piece of a call has only the fields that it continues.
    id: String(at(call, "id") ?? ""),
    name: String(at(call, "function.name") ?? ""),
    arguments: String(at(call, "function.arguments") ?? ""),
  }));
}

function listOf<T>(value: unknown): T[] {
  // Lists of answers are looked at field by field.
  return Array.isArray(value) ? (value as T[]) : [];
}
