// Questions to the client of a session (revisions until 2025-11-25): it gets them in the stream of its call, and answers each in
// a message of its own.
import { isObject, type Json, type JsonObject, type LazyAbort } from "../base";
import { type Caller, fatal, type InputRequest } from "../tools";
import { newToken } from "../crypto";
import type { Core } from "../core";
import { INVALID_REQUEST, RpcError, type RpcMessage } from "./json-rpc";

type Response = Extract<RpcMessage, { kind: "response" }>;
type Asking = PromiseWithResolvers<JsonObject>;

/** Open questions of a session. */
export type Questions = Map<Json, Asking>;

/** Open questions of one session at the same time. */
const MOST = 100;

/** Asks during one call. What is open when it is disposed gets no answer any more. */
export interface Asker extends Disposable {
  ask: NonNullable<Caller["ask"]>;
}

/** `notify` sends a message before the reply; `stop` aborts when the client is gone. */
export function askerFor(
  { random }: Pick<Core, "random">,
  questions: Questions,
  notify: (text: string) => void,
  stop: LazyAbort,
): Asker {
  const own = new Map<Json, Asking>();
  const end = (): void => {
    for (const [id, { reject }] of own) {
      questions.delete(id);
      reject(unanswered("The call has ended before the user answered."));
    }
    own.clear();
  };
  stop.addEventListener("abort", end);
  return {
    ask: ({ method, params }: InputRequest) => {
      if (questions.size >= MOST) return Promise.reject(unanswered("Too many questions are open."));
      const id = `ask-${newToken(random)}`;
      const asking = Promise.withResolvers<JsonObject>();
      // The run may not wait for it any more.
      asking.promise.catch(() => undefined);
      own.set(id, asking);
      questions.set(id, asking);
      notify(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }));
      return asking.promise.finally(() => own.delete(id));
    },
    [Symbol.dispose]: end,
  };
}

/** Passes the answer of a client on. One that nothing waits for is ignored: the call may have ended. */
export function answered(questions: Questions, { id, result, error }: Response): void {
  const asking = questions.get(id);
  if (asking === undefined) return;
  questions.delete(id);
  // A part of a JSON value.
  if (isObject(result)) asking.resolve(result as JsonObject);
  else asking.reject(refusalOf(error));
}

function refusalOf(error: Json | undefined): Error {
  const message = isObject(error) && typeof error["message"] === "string" ? error["message"] : "no reason";
  return new RpcError(INVALID_REQUEST, `The client did not ask its user: ${message}`);
}

function unanswered(message: string): Error {
  return fatal(message, { statusCode: 400 });
}
