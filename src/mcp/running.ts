// Calls in flight, and the notifications with which their client cancels them.
import { type JsonObject, type LazyAbort, memberText } from "../base";
import { ACCEPTED, identifierIn, type Reply, type RequestId } from "./json-rpc";
import { metaOf } from "./versions";

/** Running calls that the client can cancel, by request id. */
export type Running = Map<RequestId, LazyAbort>;

/** Keeps a running call where a notification can cancel it. */
function held(running: Running, id: RequestId, stop: LazyAbort): Disposable {
  running.set(id, stop);
  return {
    [Symbol.dispose]: () => {
      if (running.get(id) === stop) running.delete(id);
    },
  };
}

/** Works on a request that its client may cancel. Then it gets no answer. */
export async function cancellable(
  id: RequestId,
  { stop }: { stop: LazyAbort },
  running: Running | undefined,
  work: () => Promise<Reply>,
): Promise<Reply> {
  using _hold = running === undefined ? undefined : held(running, id, stop);
  const reply = await work();
  return stop.aborted ? ACCEPTED : reply;
}

/** Cancels the running call that a notification names. */
export function cancel(
  { method, params }: { method: string; params: JsonObject },
  text: string,
  running: Running | undefined,
): void {
  if (method !== "notifications/cancelled") return;
  const id = identifierIn(params["requestId"], () => memberText(text, "params", "requestId"));
  if (id !== undefined) running?.get(id)?.abort();
}

export function progressTokenOf(params: JsonObject, text: string): string | undefined {
  const token = metaOf(params)?.["progressToken"];
  return identifierIn(token, () => memberText(text, "params", "_meta", "progressToken"));
}
