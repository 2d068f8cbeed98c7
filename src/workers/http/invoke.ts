// Runs a tool of an HTTP worker. A call is repeated only if it cannot have run, or if the tool may run twice.
import type { Json, JsonObject, Redacted } from "../../base";
import { EgressError } from "../../egress";
import { fatal, GrantDead, type ToolContext, type ToolDefinition } from "../../tools";
import { identityHeaders } from "../identity";
import { type LoadedWorker, WorkerFailure, type WorkerTool } from "../tool";
import { INVOKE } from "./address";
import { answerIn, outputFrom } from "./answer";
import { waitAfter } from "./asking";
import { signatureAdvice } from "./worker-failure";
import { byStatus, type NoAnswer, withoutResponse } from "./no-answer";
import { bodyOf, type Call, secretsOf, sendsToken } from "./request";
import { bearer, workerToken } from "./token";
import { Withheld } from "../withheld";

/** Name of the worker's address in its catalog. */
export const BASE = "worker";

/**
 * The function of a tool. It throws `ToolError`; `GrantDead` only if the platform behind the worker refuses the user's token,
 * never because the worker refuses this server.
 */
export function invoking(worker: LoadedWorker, tool: WorkerTool): ToolDefinition["run"] {
  return async (input, context) => {
    const call = { worker, tool, input, context };
    requireTokensAllowed(call);
    const invocation = new Invocation(call);
    try {
      return await invocation.output();
    } catch (error) {
      // The platform has refused the token, so nothing was done: once more with a newer one.
      if (!(error instanceof GrantDead) || !(await context.renew())) throw error;
      return await invocation.output();
    }
  };
}

/** The record may have changed since the catalog was read. */
function requireTokensAllowed({ worker, tool }: Call): void {
  if (tool.authorization === undefined || worker.sendTokens) return;
  throw fatal(
    `The tool needs a user's authorization, and the worker ${worker.id} must not receive tokens (send_tokens is false).`,
  );
}

async function secretOf(worker: LoadedWorker): Promise<Redacted> {
  try {
    return await worker.secret();
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error;
    throw fatal(`The worker ${worker.id} cannot be called: ${error.message}`, { cause: error });
  }
}

/** One run of a tool, with its repeats. */
class Invocation {
  readonly #call: Call;
  /** What the worker must not send back. */
  readonly #withheld: Withheld;

  constructor(call: Call) {
    this.#call = call;
    this.#withheld = new Withheld(secretsOf(call).flatMap(([, value]) => value ?? []));
  }

  async output(): Promise<Json> {
    const { worker } = this.#call;
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#attempt();
      if ("body" in answer) return outputFrom(this.#call, answer.body, this.#withheld);
      if (!answer.mayRepeat || attempt >= worker.retry || !(await this.#waited(attempt))) throw answer.error;
    }
  }

  /** The answer in the protocol, or why there is none. */
  async #attempt(): Promise<{ body: JsonObject } | NoAnswer> {
    try {
      let response = await this.#send();
      // The clock may have been set since the token was made: a new one may be accepted.
      if (response.status === 401) response = await this.#send();
      if (response.status === 401 || response.status === 403)
        throw fatal(await signatureAdvice(this.#call.worker, response));
      const body = answerIn(this.#withheld.withoutTokens(await response.text()));
      return body === undefined ? byStatus(this.#call, response) : { body };
    } catch (error) {
      if (error instanceof EgressError) return withoutResponse(this.#call, error);
      throw error;
    }
  }

  async #send(): Promise<Response> {
    const { worker, context } = this.#call;
    const secret = await secretOf(worker);
    const token = workerToken(secret, context.now());
    const identity = await identityHeaders(worker, context.call);
    for (const value of Object.values(identity)) this.#withheld.addToken(value);
    this.#withheld.addSecret(secret);
    this.#withheld.addToken(token);
    return context.fetch(BASE, INVOKE, {
      method: "POST",
      headers: {
        ...identity,
        authorization: bearer(token),
        accept: "application/json",
        "content-type": "application/json",
      },
      timeoutMs: worker.timeoutMs,
      ...this.#body(),
    });
  }

  #body(): Pick<Parameters<ToolContext["fetch"]>[2] & object, "body" | "bodyWithToken"> {
    const call = this.#call;
    if (!sendsToken(call)) return { body: bodyOf(call, undefined) };
    return {
      bodyWithToken: (token) => {
        if (token !== undefined) this.#withheld.addToken(token);
        return bodyOf(call, token);
      },
    };
  }

  /** False if there is no time left for a repeat. */
  async #waited(attempt: number): Promise<boolean> {
    const { context } = this.#call;
    const ms = waitAfter(attempt);
    if (context.now() + ms >= context.deadline) return false;
    await context.sleep(ms);
    return !context.signal.aborted;
  }
}
