// tools/call: the one path of `tools.execute`, and what comes back through it as MCP says it.
import { isObject, type JsonObject, type LazyAbort } from "../base";
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import { type Caller, type Execution, InputNeeded, type Tool, type Tools } from "../tools";
import type { GatewayUser } from "./access";
import {
  CONSENT_KEY,
  consentRequest,
  consentText,
  type ConsentManner,
  type GatewayConsent,
  type Owed,
  urlRequired,
} from "./consent";
import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, notificationText, RpcError } from "./json-rpc";
import type { Offers } from "./offer";
import type { RequestStates, Waiting } from "./request-state";
import { callResult, errorText, type ResultFields } from "./result";
import { metaOf } from "./versions";

/** A call as its family and its way in allow it. */
export interface ToolCall {
  user: GatewayUser;
  params: JsonObject;
  tool: Tool;
  /** Second family: input may be asked for, results are of any JSON value. */
  modern: boolean;
  capabilities: JsonObject;
  consent: ConsentManner;
  signal: LazyAbort;
  /** Aborts when the server is about to end. */
  stopping: AbortSignal | undefined;
  /** Sends a notification ahead of the reply; undefined: nothing can go ahead of it. */
  notify: ((text: string) => void) | undefined;
}

/** What a call answers, and whether it is over. */
export interface CallAnswer extends ResultFields {
  inputRequired?: boolean;
}

export interface CallParts {
  tools: Tools;
  offers: Offers;
  consent: GatewayConsent;
  states: RequestStates;
}

export class Calls {
  readonly #core: Core;
  readonly #parts: CallParts;

  constructor(core: Core, parts: CallParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** The tool that a call names. Throws `RpcError` for one that the gateway does not offer. */
  find({ gateway }: GatewayUser, { name, arguments: given }: JsonObject): Tool {
    if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "params.name must be a text.");
    // `null` means "not given", as everywhere.
    if (given !== undefined && given !== null && !isObject(given)) {
      throw new RpcError(INVALID_PARAMS, "params.arguments must be an object.");
    }
    const tool = this.#parts.offers.of(gateway).byName.get(name);
    if (tool === undefined) throw notOffered();
    return tool;
  }

  /** Runs it. Throws `RpcError`. */
  run(call: ToolCall): Promise<CallAnswer> {
    // Most calls begin and end with one round.
    return call.modern && call.params["requestState"] !== undefined
      ? this.#next(call)
      : this.#attempt(call, undefined, true);
  }

  /** A further round of a call. */
  async #next(call: ToolCall): Promise<CallAnswer> {
    const { user, params, signal, stopping } = call;
    const waiting = await this.#parts.states.open(user, params);
    if (waiting.authorizationId !== undefined) {
      const answer = answersOf(params)[CONSENT_KEY];
      const { authorizationId: id } = waiting;
      const until = stopping === undefined ? signal.signal : AbortSignal.any([signal.signal, stopping]);
      const refusal = await this.#parts.consent.awaited(user, id, answer, until);
      if (refusal !== undefined) return errorText(refusal);
    }
    return this.#attempt(call, waiting, true);
  }

  async #attempt(call: ToolCall, waiting: Waiting | undefined, again: boolean): Promise<CallAnswer> {
    const { user, tool, params, signal } = call;
    const asked: InputNeeded[] = [];
    const caller = callerOf(call, waiting, asked);
    const request = {
      tool_name: tool.qualifiedName,
      user_id: user.userId,
      // Checked by `find`.
      input: (params["arguments"] ?? {}) as JsonObject,
    };
    let execution: Execution;
    try {
      execution = await this.#parts.tools.execute(user.principal, request, { signal, caller });
    } catch (error) {
      const owed = await this.#refusal(call, error);
      if (owed !== undefined && "fields" in owed) return owed;
      // Somebody has consented between the run and the question.
      return owed === undefined && again
        ? this.#attempt(call, waiting, false)
        : this.#owed(call, owed ?? { text: "authorization required: try again." });
    }
    // Whether the user may see the tool could not be found out: nothing was called, and the model cannot mend it.
    const failure = execution.output?.error;
    if (failure?.kind === "CONTEXT_CHECK_FAILED" && failure.extra?.["hook_point"] === "tool.access") {
      throw new RpcError(INTERNAL_ERROR, failure.message);
    }
    const [need] = asked;
    if (need !== undefined && call.modern) return this.#inputRequired(call, need);
    const authorization = execution.output?.authorization;
    const owed = authorization === undefined ? undefined : this.#parts.consent.of(authorization, tool);
    if (owed !== undefined) return this.#owed(call, owed);
    const options = {
      modern: call.modern,
      maxBytes: this.#core.settings["mcp.max_result_bytes"],
      log: this.#core.log,
    };
    return callResult(execution, tool, options);
  }

  /** A consent that is owed, or a result for what the model can be told. Throws `RpcError` for the rest. */
  async #refusal({ user, tool }: ToolCall, error: unknown): Promise<Owed | ResultFields | undefined> {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.name === "tool_not_found") throw notOffered();
    if (error.status >= 500) throw error;
    if (error.name === "tool_requirements_not_met" && error.status === 403) {
      return this.#parts.consent.start(user, tool);
    }
    return errorText(error.message);
  }

  async #owed(call: ToolCall, owed: Owed): Promise<CallAnswer> {
    if ("text" in owed) return errorText(owed.text);
    if (call.consent === "text") return consentText(owed);
    if (call.consent === "url_error") throw urlRequired(owed);
    return this.#asking(call, consentRequest(owed), { authorizationId: owed.id });
  }

  async #inputRequired(call: ToolCall, { requests, state }: InputNeeded): Promise<CallAnswer> {
    const missing = missingCapabilities(call.capabilities, Object.values(requests));
    if (Object.keys(missing).length > 0) {
      throw new RpcError(
        MISSING_CAPABILITY,
        "The client has not declared a capability that this tool needs.",
        {
          data: { requiredCapabilities: missing },
          status: 400,
        },
      );
    }
    // What a tool asks is JSON.
    return this.#asking(call, requests as unknown as JsonObject, state === undefined ? {} : { state });
  }

  async #asking({ user, params }: ToolCall, requests: JsonObject, waiting: Waiting): Promise<CallAnswer> {
    const requestState = await this.#parts.states.seal(user, params, waiting);
    const fields = JSON.stringify({ inputRequests: requests, requestState });
    return { fields: fields.slice(1, -1), inputRequired: true };
  }
}

function callerOf(call: ToolCall, waiting: Waiting | undefined, asked: InputNeeded[]): Caller {
  const token = metaOf(call.params)?.["progressToken"];
  const wanted = typeof token === "string" || typeof token === "number";
  const { notify } = call;
  let furthest = -Infinity;
  return {
    capabilities: call.capabilities,
    answers: call.modern ? toolAnswers(call.params) : NO_ANSWERS,
    state: waiting?.state,
    progress: (done, total) => {
      // The protocol wants values that grow.
      if (!wanted || notify === undefined || done <= furthest) return;
      furthest = done;
      const progress = { progressToken: token, progress: done, ...(total === undefined ? {} : { total }) };
      notify(notificationText("notifications/progress", progress));
    },
    asks: (need) => asked.push(need),
  };
}

const NO_ANSWERS: JsonObject = Object.freeze({});

/** The answers that are for the tool: whether the user consented is ours. */
function toolAnswers(params: JsonObject): JsonObject {
  const { [CONSENT_KEY]: _, ...answers } = answersOf(params);
  return answers;
}

/** Throws `RpcError` for what cannot be answers: each is an object, whatever was asked. */
function answersOf({ inputResponses: answers = {} }: JsonObject): JsonObject {
  if (!isObject(answers) || !Object.values(answers).every(isObject)) {
    throw new RpcError(INVALID_PARAMS, "params.inputResponses must be an object of objects.");
  }
  return answers;
}

/** What the client would have to declare for these requests. */
function missingCapabilities(
  declared: JsonObject,
  requests: readonly { method: string; params?: JsonObject }[],
): JsonObject {
  const missing: JsonObject = {};
  for (const { method, params } of requests) {
    const name = method.split("/")[0] ?? method;
    const has = declared[name];
    if (!isObject(has)) missing[name] = {};
    else if (name === "elicitation" && params?.["mode"] === "url" && !isObject(has["url"])) {
      missing[name] = { url: {} };
    }
  }
  return missing;
}

function notOffered(): RpcError {
  return new RpcError(INVALID_PARAMS, "tool not found");
}

/** The refusal of what failed on our side. */
export function internalRpcError(): RpcError {
  return new RpcError(INTERNAL_ERROR, "The server failed to do this. The log has the reason.");
}
