// Questions of a server to the user, as far as the calling client can ask them. Only elicitation: a server behind this one
// has no use for the models and the files of its callers.
import { isObject, type JsonObject } from "../../base";
import { METHOD_NOT_FOUND, ProtocolError, RpcError } from "../../mcp";
import { type Caller, fatal, InputNeeded, type InputRequest } from "../../tools";
import type { LoadedWorker } from "../tool";

const MOST_QUESTIONS = 20;

/** All that may be asked. */
export const ASKING: JsonObject = { elicitation: { form: {}, url: {} } };

export class Asks {
  readonly #worker: LoadedWorker;
  readonly #caller: Caller | undefined;

  constructor(worker: LoadedWorker, caller: Caller | undefined) {
    this.#worker = worker;
    this.#caller = caller;
  }

  /** What a server may ask for at the end of an answer. */
  capabilities(): JsonObject {
    const elicitation = this.#caller?.capabilities["elicitation"];
    if (!isObject(elicitation)) return {};
    const { form, url } = elicitation as JsonObject;
    return {
      elicitation: {
        ...(isObject(form) ? { form: {} } : {}),
        ...(isObject(url) ? { url: {} } : {}),
      },
    };
  }

  /**
   * What a server may ask for while it works: the caller answers at once, or in its next run. A program is told once for all
   * its calls; it gets an error for a question that the caller of a call cannot answer.
   */
  liveCapabilities(): JsonObject {
    return this.#worker.stdio === undefined ? this.capabilities() : ASKING;
  }

  /** Whether questions are asked after the run. */
  get asksLater(): boolean {
    return this.#caller?.ask === undefined && Object.keys(this.capabilities()).length > 0;
  }

  /** The name of the call that waits for the answers of this run. */
  get heldCall(): string | undefined {
    const state = this.#caller?.state;
    if (!isObject(state) || state["worker"] !== this.#worker.id) return undefined;
    return typeof state["held"] === "string" ? state["held"] : undefined;
  }

  /** The members with which a call goes on that the server has interrupted with questions. */
  members(): JsonObject {
    const { state, answers = {} } = this.#caller ?? {};
    // A client may also answer what it has not been asked.
    if (state === undefined) return Object.keys(answers).length === 0 ? {} : { inputResponses: answers };
    if (!isObject(state) || state["worker"] !== this.#worker.id) return {};
    const { upstream } = state as JsonObject;
    return { inputResponses: answers, ...(typeof upstream === "string" ? { requestState: upstream } : {}) };
  }

  /**
   * Undefined if a result is complete; otherwise the members of the request that answers its questions. Throws `InputNeeded`
   * for questions that the caller can ask only when the run has ended, and `ToolError` if it cannot ask them at all.
   */
  async answered(result: JsonObject): Promise<JsonObject | undefined> {
    const { resultType = "complete", inputRequests, requestState } = result;
    if (resultType === "complete") return undefined;
    if (resultType !== "input_required")
      throw new ProtocolError("The server answered with a result of an unknown type.");
    if (!isObject(this.#caller?.capabilities["elicitation"])) throw cannotAsk();
    const questions = questionsIn(inputRequests);
    const caller = this.#caller;
    if (caller.ask === undefined) {
      const upstream = typeof requestState === "string" ? { upstream: requestState } : {};
      throw new InputNeeded(questions, { worker: this.#worker.id, ...upstream });
    }
    const answers: JsonObject = {};
    for (const [key, question] of Object.entries(questions)) answers[key] = await caller.ask(question);
    return { inputResponses: answers, ...(typeof requestState === "string" ? { requestState } : {}) };
  }

  /** Answers a request that a server sends while it works (revisions until 2025-11-25). Throws `RpcError`. */
  async answer(method: string, params: JsonObject): Promise<JsonObject> {
    const isAsked = method === "elicitation/create" && this.capabilities()["elicitation"] !== undefined;
    if (!isAsked || this.#caller?.ask === undefined) throw new RpcError(METHOD_NOT_FOUND, "Method not found");
    return this.#caller.ask({ method: "elicitation/create", params });
  }
}

function questionsIn(value: unknown): Record<string, InputRequest> {
  const questions = Object.entries(isObject(value) ? value : {});
  if (questions.length > MOST_QUESTIONS)
    throw new ProtocolError("The server asks too many questions at once.");
  return Object.fromEntries(
    questions.map(([key, question]) => {
      if (!isObject(question) || question["method"] !== "elicitation/create")
        throw new ProtocolError("The server asks for something that was not offered to it.");
      const { params } = question;
      return [
        key,
        { method: "elicitation/create", ...(isObject(params) ? { params: params as JsonObject } : {}) },
      ];
    }),
  );
}

function cannotAsk(): Error {
  return fatal(
    "The server asks the user a question during this call, which this protocol does not support.",
    {
      statusCode: 400,
      advice: "Call the tool through a gateway, with an MCP client that can ask its user (elicitation).",
    },
  );
}
