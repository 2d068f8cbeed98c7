// What requests of all protocols share: the client of the model, the body for it, the end of the caller.
import { type Abortable, signalOf } from "../base";
import type { Core } from "../core";
import { invalidParameter, toRuntimeError } from "../errors";
import type { Principal, Suspensions } from "../identity";
import { checkLimits, withLimitField } from "./limit-field";
import type { ToolSet } from "./loop/tool-set";
import type { Choice } from "./resolve";
import type { ChatRequest } from "./schema";
import type { ModelServer } from "./server-of";
import { anthropicClient } from "./upstream/anthropic";
import type { ChatBody, ModelClient } from "./upstream/client";
import { openAiClient } from "./upstream/openai";

export function clientOf(core: Core, server: ModelServer): ModelClient {
  return server.type === "anthropic" ? anthropicClient(core, server) : openAiClient(core, server);
}

/** The body of the request for the server of the model. Throws `invalid_parameter`. */
export function bodyOf(given: ChatRequest, { model, server }: Choice, set: ToolSet | undefined): ChatBody {
  checkLimits(given);
  const request = withLimitField(given, server.limitField);
  if (set === undefined) return { ...request, model };
  return { ...request, model, tools: set.definitions, tool_choice: set.choice };
}

/** Aborts when the caller disconnects or stops reading the stream. */
export function hangUp({ signal: given }: { signal?: Abortable | undefined }): {
  signal: AbortSignal;
  gone(): void;
} {
  const reader = new AbortController();
  const signal = signalOf(given);
  return {
    signal: signal === undefined ? reader.signal : AbortSignal.any([signal, reader.signal]),
    gone: () => reader.abort(),
  };
}

export function logBreak({ log }: Core, error: unknown): void {
  // Lower ones are caused by the caller.
  if (toRuntimeError(error).status >= 500) log.warn("stream of a chat completion failed", { error });
}

/**
 * Tools run for the user, so the credential must be allowed to act for them. Throws `forbidden`, also for a suspended user, and
 * `invalid_parameter`.
 */
export async function checkUser(
  suspensions: Suspensions,
  principal: Principal,
  { user }: { user?: string | undefined },
): Promise<void> {
  if (user === undefined) return suspensions.requireActive(principal);
  if (user.trim() === "") throw invalidParameter("user is empty. Name the user or leave it out.");
  await suspensions.actFor(principal, user);
}
