// Chat completions: which server, with which tools, and how its answer reaches the caller.
import type { Core } from "../core";
import { invalidParameter } from "../errors";
import { actFor, type Principal } from "../identity";
import type { Models } from "./models";
import { replaceField } from "./replace-field";
import type { Choice } from "./resolve";
import type { ChatRequest } from "./schema";
import type { ModelServer } from "./server-of";
import { passThrough } from "./stream/pass";
import { callStreaming, callWhole } from "./upstream/call";
import { refusedInside, unanswered, unreadable } from "./upstream/failure";

export interface ChatCall {
  /** Checked. */
  request: ChatRequest;
  /** The request as it came. */
  text: string;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal | undefined;
}

/** One JSON text, or a stream of server-sent events. */
export type ChatAnswer = { json: string } | { events: ReadableStream<Uint8Array> };

export class Chat {
  readonly #core: Core;
  readonly #models: Models;

  constructor(core: Core, models: Models) {
    this.#core = core;
    this.#models = models;
  }

  /**
   * Completes a conversation. Throws `invalid_parameter` for a model that nobody serves and for what its server refuses,
   * `rate_limited`, `gateway_timeout`, and `internal_error` when the server fails.
   */
  async complete(principal: Principal, call: ChatCall): Promise<ChatAnswer> {
    const { request } = call;
    checkUser(principal, request);
    const choice = await this.#models.choose(principal.projectId, request.model);
    return this.#pass(choice, call);
  }

  /** Without tools of ours nothing is read but what must be: the bytes pass. */
  async #pass({ server, model }: Choice, { request, text, signal }: ChatCall): Promise<ChatAnswer> {
    const body = model === request.model ? text : replaceField(text, "model", model);
    const options = { signal, timeoutMs: this.#core.settings["llm.timeout"] * 1000 };
    if (request.stream !== true) return { json: (await callWhole(this.#core, server, body, options)).text };
    return {
      events: await passThrough(await callStreaming(this.#core, server, body, options), endings(server)),
    };
  }
}

function endings(server: ModelServer) {
  return {
    failed: (thrown: unknown) => unanswered(server, thrown),
    refused: (error: unknown) => refusedInside(server, error),
    cutOff: () => unreadable(server, 200, "a stream that ends in the middle"),
  };
}

// The user is whom tools run for; a credential that may not act for somebody may not name them here either.
function checkUser(principal: Principal, { user }: ChatRequest): void {
  if (user === undefined) return;
  if (user.trim() === "") throw invalidParameter("user is empty. Name the user, or leave it out.");
  actFor(principal, user);
}
