// Runs a tool for a request through `tools.execute`, and asks its client for consents and answers.
import { isObject, type JsonObject, type LazyAbort } from "../base";
import { isUnavailable, RuntimeError } from "../errors";
import { type Caller, type Execution, InputNeeded, type ServerAnswer, type Tool, type Tools } from "../tools";
import type { GatewayUser } from "./access";
import type { AnswerForm } from "./answer-form";
import {
  CONSENT_KEY,
  consentOf,
  consentRequest,
  type ConsentManner,
  type GatewayConsent,
  type NeededConsent,
  urlRequired,
} from "./consent";
import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, progressText, RpcError } from "./json-rpc";
import type { RequestStates, Waiting } from "./request-state";
import type { ResultFields } from "./result";

/** A tool call, with what the protocol revision and the transport support. */
export interface ToolCall {
  user: GatewayUser;
  /** The name and arguments of the tool, and what the client sends when it continues the call. */
  params: JsonObject;
  form: AnswerForm;
  /** JSON text of the token under which the client wants reports of progress. */
  progressToken: string | undefined;
  tool: Tool;
  /** Revision 2026-07-28: the tool may ask for input, and a result may be any JSON value. */
  modern: boolean;
  capabilities: JsonObject;
  /** Asks the client while the call runs; undefined if it cannot be asked. */
  ask: Caller["ask"];
  /** Headers of the client for the tool. */
  headers: Readonly<Record<string, string>>;
  consent: ConsentManner;
  signal: LazyAbort;
  /** Aborts when the server is about to stop. */
  stopping: AbortSignal | undefined;
  /** Sends a notification before the reply; undefined if the transport cannot. */
  notify: ((text: string) => void) | undefined;
}

/** The result of a call, or a request for more input. */
export interface CallAnswer extends ResultFields {
  inputRequired?: boolean;
}

export interface CallParts {
  tools: Tools;
  consent: GatewayConsent;
  states: RequestStates;
}

export class Calls {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** Runs a call, or continues one after its client has sent the requested input. Throws `RpcError`. */
  async run(call: ToolCall): Promise<CallAnswer> {
    const { user, params, signal, stopping } = call;
    if (!call.modern || params["requestState"] === undefined) return this.#attempt(call, undefined, true);
    const waiting = await this.#parts.states.open(user, params);
    if (waiting.authorizationId !== undefined) {
      const answer = answersOf(params)[CONSENT_KEY];
      const { authorizationId: id } = waiting;
      const until = stopping === undefined ? signal.signal : AbortSignal.any([signal.signal, stopping]);
      const failure = await this.#parts.consent.wait(user, id, answer, until);
      if (failure !== undefined) return call.form.text(failure);
    }
    return this.#attempt(call, waiting, true);
  }

  async #attempt(call: ToolCall, waiting: Waiting | undefined, retry: boolean): Promise<CallAnswer> {
    const { user, tool, params, signal, form } = call;
    const heard: Heard = { requests: [], answered: undefined };
    const caller = callerOf(call, waiting, heard);
    const request = {
      tool_name: tool.qualifiedName,
      user_id: user.userId,
      // Checked when the tool was looked up.
      input: (params["arguments"] ?? {}) as JsonObject,
    };
    let execution: Execution;
    try {
      execution = await this.#parts.tools.execute(user.principal, request, { signal, caller, entry: "mcp" });
    } catch (error) {
      const result = await this.#failed(call, error);
      if (result !== undefined && "fields" in result) return result;
      // Undefined: the user has consented since the run.
      return result === undefined && retry
        ? this.#attempt(call, waiting, false)
        : this.#needsConsent(call, result ?? { text: "authorization required: try again." });
    }
    // The access check failed, so nothing was called, and the model cannot fix it.
    const failure = execution.output?.error;
    if (failure?.kind === "CONTEXT_CHECK_FAILED" && failure.extra?.["hook_point"] === "tool.access") {
      throw new RpcError(INTERNAL_ERROR, failure.message);
    }
    const [need] = heard.requests;
    if (need !== undefined && call.modern && form.mayAsk) return this.#inputRequired(call, need);
    const authorization = execution.output?.authorization;
    const consent = authorization === undefined ? undefined : consentOf(authorization, tool);
    if (consent !== undefined) return this.#needsConsent(call, consent);
    return form.answer(execution, heard.answered);
  }

  /** The necessary consent, or an error result for the model. Throws `RpcError` for other errors. */
  async #failed(
    { user, tool, form }: ToolCall,
    error: unknown,
  ): Promise<NeededConsent | ResultFields | undefined> {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.name === "tool_not_found") return form.missing();
    if (error.status >= 500) throw error;
    if (error.name === "tool_requirements_not_met" && error.status === 403) {
      return this.#parts.consent.start(user, tool);
    }
    return form.text(error.message);
  }

  async #needsConsent(call: ToolCall, consent: NeededConsent): Promise<CallAnswer> {
    if ("text" in consent) return call.form.text(consent.text);
    if (call.consent === "url_error") throw urlRequired(consent);
    if (call.consent === "text" || !call.form.mayAsk) return call.form.consent(consent);
    return this.#askFor(call, consentRequest(consent), { authorizationId: consent.id });
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
    // The requests of a tool are JSON.
    return this.#askFor(call, requests as unknown as JsonObject, state === undefined ? {} : { state });
  }

  async #askFor({ user, params }: ToolCall, requests: JsonObject, waiting: Waiting): Promise<CallAnswer> {
    const requestState = await this.#parts.states.seal(user, params, waiting);
    const fields = JSON.stringify({ inputRequests: requests, requestState });
    return { fields: fields.slice(1, -1), inputRequired: true };
  }
}

/** What a run tells besides its outcome. */
interface Heard {
  requests: InputNeeded[];
  answered: ServerAnswer | undefined;
}

function callerOf(call: ToolCall, waiting: Waiting | undefined, heard: Heard): Caller {
  const { notify, progressToken, headers } = call;
  let furthest = -Infinity;
  return {
    capabilities: call.capabilities,
    answers: call.modern ? toolAnswers(call.params) : NO_ANSWERS,
    state: waiting?.state,
    headers,
    ...(call.ask === undefined ? {} : { ask: call.ask }),
    progress: (done, total, message) => {
      // The protocol requires increasing values.
      if (progressToken === undefined || notify === undefined || done <= furthest) return;
      furthest = done;
      const fields = {
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      const progress = JSON.stringify(fields).slice(1, -1);
      notify(progressText(`"progressToken":${progressToken},${progress}`));
    },
    asks: (need) => heard.requests.push(need),
    answered: (answer) => {
      heard.answered = answer;
    },
  };
}

const NO_ANSWERS: JsonObject = Object.freeze({});

/** The answers for the tool, without the answer to our consent request. */
function toolAnswers(params: JsonObject): JsonObject {
  const { [CONSENT_KEY]: _, ...answers } = answersOf(params);
  return answers;
}

/** Throws `RpcError` unless all answers are objects. */
function answersOf({ inputResponses: answers = {} }: JsonObject): JsonObject {
  if (!isObject(answers) || !Object.values(answers).every(isObject)) {
    throw new RpcError(INVALID_PARAMS, "params.inputResponses must be an object of objects.");
  }
  return answers;
}

/** The capabilities for these requests that the client has not declared. */
function missingCapabilities(
  declared: JsonObject,
  requests: readonly { method: string; params?: JsonObject }[],
): JsonObject {
  const missing: JsonObject = {};
  for (const { method, params } of requests) {
    const name = method.split("/")[0] ?? method;
    const has = declared[name];
    if (!isObject(has)) missing[name] = {};
    else if (name === "elicitation") {
      const mode = params?.["mode"] === "url" ? "url" : "form";
      // An empty object means forms (revision 2026-07-28, "Elicitation", section "Capabilities").
      const isImplied = mode === "form" && !isObject(has["url"]);
      if (!isObject(has[mode]) && !isImplied) missing[name] = { [mode]: {} };
    }
  }
  return missing;
}

/** The error for a failure of this server. */
export function rpcErrorOf(error: unknown): RpcError {
  if (isUnavailable(error)) {
    const { status, message, retryAfterMs } = error;
    return new RpcError(INTERNAL_ERROR, message, { status, retryAfterMs });
  }
  return new RpcError(INTERNAL_ERROR, "The server failed to do this. The log has the reason.");
}
