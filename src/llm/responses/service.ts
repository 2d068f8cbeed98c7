// The Responses protocol: passed through to servers that speak it, translated to chat completions or messages for others.
// Nothing is stored: each request contains the whole conversation.
import { checked, reveal } from "../../base";
import type { Core } from "../../core";
import { newToken } from "../../crypto";
import type { Principal, Suspensions } from "../../identity";
import { checkIdempotencyKey, type Tools } from "../../tools";
import type { Steps } from "../loop/answer";
import { Calls } from "../loop/calls";
import { converse } from "../loop/converse";
import { type ToolSet, toolSetOf, usesOwnTools } from "../loop/tool-set";
import type { Models } from "../models";
import { bodyOf, checkUser, clientOf, hangUp, logBreak } from "../prepare";
import { replaceField } from "../replace-field";
import type { Choice } from "../resolve";
import { ChatRequest } from "../schema";
import type { ChatAnswer, ChatCall } from "../service";
import { eventStream } from "../stream/event-stream";
import { passThrough } from "../stream/pass";
import { ResponsesReader } from "../stream/reader";
import { callStreaming, callWhole } from "../upstream/call";
import { faultsOf, unreadable } from "../upstream/failure";
import { BlockSource } from "../upstream/records";
import { failedPass, failedResponse, streamedResponse, wholeResponse } from "./answer";
import { echoed } from "./record";
import { chatRequestOf } from "./request";
import type { ResponsesRequest } from "./schema";
import { singleTurn } from "./steps";
import { flatChoice, flatTool, namespacesOf, ownTools } from "./tools";
import { ResponseWriter } from "./writer";

export type ResponsesCall = Omit<ChatCall, "request"> & { request: ResponsesRequest };

export class Responses {
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
   * Answers a conversation. Throws as chat completions do, and `invalid_parameter` for fields that need a stored response or
   * a hosted tool if the server of the model does not speak the protocol.
   */
  async create(principal: Principal, call: ResponsesCall): Promise<ChatAnswer> {
    const { request } = call;
    await checkUser(this.#suspensions, principal, request);
    const choice = await this.#models.choose(principal.projectId, request.model);
    const isRun = request.tool_choice === "execute" || request.tool_choice === "generate";
    const url = choice.server.responsesUrl;
    return url === undefined || isRun
      ? this.#translate(principal, choice, call)
      : this.#pass(principal, choice, call, url);
  }

  /** The server of the model speaks the protocol, and the caller runs the calls. */
  async #pass(principal: Principal, choice: Choice, call: ResponsesCall, url: string): Promise<ChatAnswer> {
    const { server, model } = choice;
    const { signal, request } = call;
    const options = { signal, timeoutMs: this.#timeoutMs(), url, model };
    const body = await this.#passedText(principal, choice, call);
    if (request.stream !== true) {
      const answer = await callWhole(this.#core, server, body, options);
      if (!Array.isArray(answer.value["output"])) throw unreadable(server, 200, "no output");
      return { json: answer.text };
    }
    const bytes = await callStreaming(this.#core, server, body, options);
    return {
      events: await passThrough({
        source: new BlockSource(this.#core, server, bytes, options),
        reader: new ResponsesReader(faultsOf(server)),
        isShown: (text) => server.apiKey === undefined || !text.includes(reveal(server.apiKey)),
        broke: (error) => logBreak(this.#core, error),
        failed: failedPass,
        ended: call.ended,
      }),
    };
  }

  /** The text of the request, with the names of the model and of tools as its server knows them. */
  async #passedText(
    principal: Principal,
    { model }: Choice,
    { request, text }: ResponsesCall,
  ): Promise<string> {
    const named = model === request.model ? text : replaceField(text, "model", model);
    const { own, others, chosen } = ownTools(request);
    if (own.length === 0) return named;
    const set = await this.#setOf(principal, checked(ChatRequest, chosen, "request body"));
    const withTools = replaceField(named, "tools", [...set.definitions.map(flatTool), ...others]);
    return request.tool_choice === undefined
      ? withTools
      : replaceField(
          withTools,
          "tool_choice",
          set.choice === undefined ? request.tool_choice : flatChoice(set.choice),
        );
  }

  async #translate(principal: Principal, choice: Choice, call: ResponsesCall): Promise<ChatAnswer> {
    const { idempotencyKey } = call;
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    const request = checked(ChatRequest, chatRequestOf(call.request, choice.server), "request body");
    const set = usesOwnTools(request) ? await this.#setOf(principal, request) : undefined;
    const { signal, gone } = hangUp(call);
    const steps = this.#steps(principal, choice, { ...call, signal }, request, set);
    const writer = this.#writer(call.request, choice, set);
    if (request.stream !== true) return { json: JSON.stringify(await wholeResponse(steps, writer)) };
    return {
      events: await eventStream(this.#core, streamedResponse(steps, writer), {
        gone,
        ended: call.ended,
        failed: (error) => failedResponse(error, writer),
      }),
    };
  }

  #steps(
    principal: Principal,
    choice: Choice,
    { signal, idempotencyKey }: ResponsesCall & { signal: AbortSignal },
    request: ChatRequest,
    set: ToolSet | undefined,
  ): Steps {
    const [core, streams] = [this.#core, request.stream === true];
    const [client, body] = [clientOf(core, choice.server), bodyOf(request, choice, set)];
    if (set?.running === undefined) {
      const names = set === undefined ? namesOf(request) : undefined;
      const isName = (name: string): boolean => set?.has(name) ?? names?.has(name) === true;
      return singleTurn({
        core,
        client,
        body,
        streams,
        isName,
        options: { signal, timeoutMs: this.#timeoutMs() },
      });
    }
    const calls = new Calls({ core, tools: this.#tools, principal, set, signal, idempotencyKey });
    return converse({ core, client, set, calls, body, streams, signal });
  }

  async #setOf(principal: Principal, request: ChatRequest): Promise<ToolSet> {
    return toolSetOf(this.#tools, principal, request, await this.#models.runnableTools(principal.projectId));
  }

  #writer(given: ResponsesRequest, { model }: Choice, set: ToolSet | undefined): ResponseWriter {
    const { clock, random } = this.#core;
    const tools = set === undefined ? (given.tools ?? []) : set.definitions.map(flatTool);
    return new ResponseWriter({
      model,
      echoed: echoed(given, tools),
      namespaces: namespacesOf(given.tools),
      outputOnly: set?.running === "execute",
      newId: (prefix) => `${prefix}_${newToken(random).slice(0, 32)}`,
      now: () => Math.floor(clock.now() / 1000),
    });
  }

  #timeoutMs(): number {
    return this.#core.settings["llm.timeout"] * 1000;
  }
}

function namesOf({ tools = [] }: ChatRequest): Set<string> {
  return new Set(tools.flatMap((tool) => (typeof tool === "string" ? [] : [tool.function?.name ?? ""])));
}
