// Chat completions: chooses the server and the tools, and passes the answer to the caller.
import { type Abortable, reveal } from "../base";
import { withParts } from "./content-parts";
import type { Core } from "../core";
import { invalidParameter } from "../errors";
import type { Principal, Suspensions } from "../identity";
import { checkIdempotencyKey, type Tools } from "../tools";
import { streamedAnswer, wholeAnswer } from "./loop/answer";
import { Calls } from "./loop/calls";
import { converse } from "./loop/converse";
import { usesOwnTools, type ToolSet, toolSetOf } from "./loop/tool-set";
import { withLimitFieldText } from "./limit-field";
import type { Models } from "./models";
import { bodyOf, checkUser, clientOf, hangUp, logBreak } from "./prepare";
import { replaceField } from "./replace-field";
import type { Choice } from "./resolve";
import type { ChatRequest } from "./schema";
import { eventStream } from "./stream/event-stream";
import { chunkTexts } from "./stream/events";
import { passThrough } from "./stream/pass";
import { ChatReader } from "./stream/reader";
import { callStreaming, callWhole } from "./upstream/call";
import { faultsOf } from "./upstream/failure";
import { BlockSource } from "./upstream/records";

export interface ChatCall {
  /** Checked. */
  request: ChatRequest;
  /** The request body as text. */
  text: string;
  /** Aborts when the caller disconnects. */
  signal?: Abortable | undefined;
  /** Called when a streamed answer has ended, or its reader has disconnected. */
  ended?: (() => void) | undefined;
  /** Writes of a run are not repeated under the same key. */
  idempotencyKey?: string | undefined;
}

/** One JSON text, or a stream of server-sent events. */
export type ChatAnswer = { json: string } | { events: ReadableStream<Uint8Array> };

export class Chat {
  readonly #core: Core;
  readonly #models: Models;
  readonly #tools: Tools;
  readonly #suspensions: Suspensions;

  constructor(core: Core, models: Models, tools: Tools, suspensions: Suspensions) {
    this.#core = core;
    this.#models = models;
    this.#tools = tools;
    this.#suspensions = suspensions;
  }

  /**
   * Completes a conversation. Throws `invalid_parameter` for an unknown model and for a request that the model server
   * refuses, `tool_not_found`, `forbidden` for a user or a tool that the caller may not use, `rate_limited`,
   * `gateway_timeout`, and `internal_error` if the model server fails.
   */
  async complete(principal: Principal, call: ChatCall): Promise<ChatAnswer> {
    const { request } = call;
    await checkUser(this.#suspensions, principal, request);
    const { projectId: project } = principal;
    const { server, model } = await this.#models.choose(project, request.model);
    const choice = { server: { ...server, project }, model };
    if (!usesOwnTools(request)) return this.#predict(choice, call, undefined);
    const runnable = await this.#models.runnableTools(principal.projectId);
    const set = await toolSetOf(this.#tools, principal, request, runnable);
    return set.running === undefined
      ? this.#predict(choice, call, set)
      : this.#converse(principal, choice, call, set);
  }

  /** The caller runs the calls. The answer is passed on unchanged. */
  async #predict(choice: Choice, call: ChatCall, set: ToolSet | undefined): Promise<ChatAnswer> {
    const { server, model } = choice;
    const { request, signal } = call;
    if (server.type !== "openai") return this.#translate(choice, call, set);
    const options = { signal, timeoutMs: this.#timeoutMs(), model };
    const body = bodyText(call, choice, set);
    if (request.stream !== true) return { json: (await callWhole(this.#core, server, body, options)).text };
    const bytes = await callStreaming(this.#core, server, body, options);
    return {
      events: await passThrough({
        source: new BlockSource(this.#core, server, bytes, options),
        reader: new ChatReader(faultsOf(server)),
        isShown: (text) => server.apiKey === undefined || !text.includes(reveal(server.apiKey)),
        broke: (error) => logBreak(this.#core, error),
        ended: call.ended,
      }),
    };
  }

  /** Like `#predict`, for a server with another protocol. */
  async #translate(choice: Choice, call: ChatCall, set: ToolSet | undefined): Promise<ChatAnswer> {
    const core = this.#core;
    const { request } = call;
    const { signal, gone } = hangUp(call);
    const options = { signal, timeoutMs: this.#timeoutMs() };
    const client = clientOf(core, choice.server);
    const body = bodyOf(request, choice, set);
    if (request.stream !== true) return { json: JSON.stringify(await client.whole(body, options)) };
    const texts = chunkTexts(client.stream(body, options), request.stream_options?.include_usage === true);
    return { events: await eventStream(core, texts, { gone, ended: call.ended }) };
  }

  /** This server runs the calls. */
  async #converse(principal: Principal, choice: Choice, call: ChatCall, set: ToolSet): Promise<ChatAnswer> {
    const { request, idempotencyKey } = call;
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    if ((request.n ?? 1) !== 1) throw invalidParameter("n must be 1 if the server runs tools.");
    const { signal, gone } = hangUp(call);
    const streams = request.stream === true;
    const core = this.#core;
    const steps = converse({
      core,
      client: clientOf(core, choice.server),
      set,
      calls: new Calls({ core, tools: this.#tools, principal, set, signal, idempotencyKey }),
      body: bodyOf(request, choice, set),
      streams,
      signal,
    });
    if (!streams) return { json: JSON.stringify(await wholeAnswer(core, steps, choice.model)) };
    const texts = streamedAnswer(core, steps, {
      model: choice.model,
      outputOnly: set.running === "execute",
      includeUsage: request.stream_options?.include_usage === true,
    });
    return { events: await eventStream(core, texts, { gone, ended: call.ended }) };
  }

  #timeoutMs(): number {
    return this.#core.settings["llm.timeout"] * 1000;
  }
}

/** The text of the request, with the model and the tools in the form of the model server. */
function bodyText({ request, text }: ChatCall, { model, server }: Choice, set: ToolSet | undefined): string {
  const messages = withParts(request.messages);
  const given = messages === request.messages ? text : replaceField(text, "messages", messages);
  const limited = withLimitFieldText(given, request, server.limitField);
  const named = model === request.model ? limited : replaceField(limited, "model", model);
  if (set === undefined) return named;
  const withTools = replaceField(named, "tools", set.definitions);
  return set.choice === request.tool_choice ? withTools : replaceField(withTools, "tool_choice", set.choice);
}
