// One request to a model server through egress. Failures become errors for the caller.
import { type Abortable, isObject, type Json, parseJson, Redacted, reveal } from "../../base";
import type { Core } from "../../core";
import type { RuntimeError } from "../../errors";
import type { ModelServer } from "../server-of";
import { errorIn } from "../stream/error-record";
import { tokensOf } from "./tokens";
import { refused, refusedInside, retryAfterOf, unanswered, unreadable } from "./failure";

export interface CallOptions {
  signal: Abortable | undefined;
  timeoutMs: number;
  /** Default: where chat completions or messages are. */
  url?: string;
  /** Of the request, for traces. */
  model?: unknown;
}

/** A whole answer: its text and its JSON. */
export interface Whole {
  text: string;
  value: { [key: string]: unknown };
}

const EVENT_STREAM = /^text\/event-stream\b/i;

/** Sends a request and parses its JSON answer. Throws the error for the caller. */
export function callWhole(
  core: Core,
  server: ModelServer,
  body: string,
  options: CallOptions,
): Promise<Whole> {
  return core.telemetry.observe("model", observed(server, options, false), async (activity) => {
    const answer = await whole(core, server, body, options);
    activity.end({ outcome: "ok", ...tokensOf(answer.value) });
    return answer;
  });
}

async function whole(core: Core, server: ModelServer, body: string, options: CallOptions): Promise<Whole> {
  // Text and values of a large answer take more memory than its bytes.
  using holder = new DisposableStack();
  const response = await send(core, server, body, { ...options, holder }, false);
  const text = await textOf(server, response);
  const value = jsonOf(server, response, text);
  const error = errorIn(value);
  if (error !== undefined) throw refusedInside(server, error);
  return { text, value };
}

/** Sends a request with a streamed answer and returns its body. Throws the error for the caller. */
export function callStreaming(
  core: Core,
  server: ModelServer,
  body: string,
  options: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  return core.telemetry.observe("model", observed(server, options, true), () =>
    streaming(core, server, body, options),
  );
}

async function streaming(
  core: Core,
  server: ModelServer,
  body: string,
  options: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(core, server, body, options, true);
  if (EVENT_STREAM.test(response.headers.get("content-type") ?? "") && response.body !== null) {
    return response.body;
  }
  const value = jsonOf(server, response, await textOf(server, response));
  const error = errorIn(value);
  throw error === undefined
    ? unreadable(server, response.status, "JSON instead of a stream")
    : refusedInside(server, error);
}

function observed(
  { id, type, embeddingsUrl, projectId: project }: ModelServer,
  { url, model }: CallOptions,
  streams: boolean,
) {
  const operation = url !== undefined && url === embeddingsUrl ? "embeddings" : "chat";
  return {
    provider: type,
    entry: id,
    model: typeof model === "string" ? model : undefined,
    operation,
    streams,
    project,
  } as const;
}

async function send(
  core: Core,
  server: ModelServer,
  body: string,
  { signal, timeoutMs, url = server.url, holder }: CallOptions & { holder?: DisposableStack },
  streams: boolean,
): Promise<Response> {
  let response: Response;
  try {
    response = await core.egress.fetch(url, {
      group: "model",
      method: "POST",
      headers: headersOf(server, streams),
      body,
      project: server.projectId,
      secretsFor: server.origins,
      signal,
      timeoutMs,
      holder,
      ...(streams ? { streams } : {}),
    });
  } catch (thrown) {
    throw unanswered(server, thrown);
  }
  if (response.ok) return response;
  throw await refusalOf(core, server, response);
}

async function refusalOf({ clock }: Core, server: ModelServer, response: Response): Promise<RuntimeError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => "");
  return refused(server, { status, retryAfterMs: retryAfterOf(headers, clock.now()), body: parsed(text) });
}

function headersOf(
  { type, apiKey, apiVersion }: ModelServer,
  streams: boolean,
): Record<string, string | Redacted> {
  const common = {
    "content-type": "application/json",
    accept: streams ? "text/event-stream" : "application/json",
  };
  if (type === "anthropic") {
    return {
      ...common,
      "anthropic-version": apiVersion,
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    };
  }
  return apiKey === undefined
    ? common
    : { ...common, authorization: new Redacted(`Bearer ${reveal(apiKey)}`) };
}

async function textOf(server: ModelServer, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (thrown) {
    throw unanswered(server, thrown);
  }
}

function jsonOf(
  server: ModelServer,
  { status, headers }: Response,
  text: string,
): { [key: string]: unknown } {
  const value = parsed(text);
  if (isObject(value)) return value;
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? ` (${type})` : "";
  throw unreadable(
    server,
    status,
    text.trim() === "" ? "an empty body" : `something that is not JSON${named}`,
  );
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
