// Streams that tell clients of changed lists. They last until the client ends them, the gateway no longer serves the client, or
// the server stops: `subscriptions/listen` of revision 2026-07-28 ("Subscriptions"), and the stream of a session of revisions
// until 2025-11-25 ("Listening for Messages from the Server").
import { isObject, type JsonObject, type LazyAbort } from "../base";
import { ACCEPTED, INVALID_PARAMS, type Reply, type RequestId, resultReply, RpcError } from "./json-rpc";
import { type ListChanges, type ListKind, seenAt } from "./list-changes";
import type { Peer } from "./service";
import type { Sessions } from "./session";
import { metaKey } from "./versions";

const SUBSCRIPTION_KEY = metaKey("subscriptionId");

type Listener = Pick<Peer, "user" | "stop" | "stopping" | "notify">;

export interface SessionStream extends Pick<Peer, "user" | "sessionId" | "stop" | "stopping"> {
  /** The last position that the client got from an earlier stream. */
  since?: string | undefined;
  /** Called first. `position`: undefined if the revision has no event for it. */
  begun(position: string | undefined): void;
  notify(text: string, position: string): void;
}

export class Subscriptions {
  readonly #changes: ListChanges;
  readonly #sessions: Sessions;

  constructor(changes: ListChanges, sessions: Sessions) {
    this.#changes = changes;
    this.#sessions = sessions;
  }

  /** Resolves when the subscription has ended. Throws `RpcError`. */
  async listen(
    id: RequestId,
    params: JsonObject,
    { user, stop, stopping, notify }: Listener,
  ): Promise<Reply> {
    const wanted = params["notifications"];
    if (!isObject(wanted))
      throw new RpcError(INVALID_PARAMS, "params.notifications must be an object.", { status: 400 });
    if (notify === undefined)
      throw new RpcError(INVALID_PARAMS, "A subscription is a stream: accept text/event-stream.", {
        status: 406,
      });
    const tell = (method: string, more: string): void =>
      notify(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${metaOf(id)}${more}}}`);
    const kinds = this.#changes.kinds.filter((kind) => wanted[`${kind}ListChanged`] === true);
    const accepted = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
    using either = eitherOf(stop, stopping);
    await this.#changes.follow(user, {
      ended: either.signal,
      begun: () => tell("subscriptions/acknowledged", `,"notifications":${JSON.stringify(accepted)}`),
      changed: (changed) => {
        for (const kind of changed) if (kinds.includes(kind)) tell(`${kind}/list_changed`, "");
      },
    });
    // A client that has gone gets nothing more.
    if (stop.aborted) return ACCEPTED;
    tell("cancelled", `,"requestId":${id}`);
    return resultReply(id, `{"resultType":"complete",${metaOf(id)}}`);
  }

  /** Resolves when the stream has ended. Throws `RpcError` for a session that is not this user's. */
  async stream({ user, sessionId, since, begun, notify, ...ends }: SessionStream): Promise<void> {
    const { version, streams, listed } = await this.#sessions.open(sessionId ?? "", user);
    const own = {};
    streams.push(own);
    using either = eitherOf(ends.stop, ends.stopping);
    try {
      await this.#changes.follow(user, {
        known: since === undefined ? [listed] : [listed, seenAt(since)],
        ended: either.signal,
        // Clients of older revisions take an event without data for a broken message.
        begun: (position) => begun(version === "2025-11-25" ? position : undefined),
        changed: (kinds, position) => {
          if (streams.at(-1) === own) for (const kind of kinds) notify(changeText(kind), position);
        },
      });
    } finally {
      streams.splice(streams.indexOf(own), 1);
    }
  }
}

/** Aborts with the first of both, until it is disposed: `stopping` outlives every stream and must not keep them all. */
function eitherOf(
  stop: LazyAbort,
  stopping: AbortSignal | undefined,
): Disposable & { readonly signal: AbortSignal } {
  const either = new AbortController();
  const end = (): void => either.abort();
  if (stop.aborted || stopping?.aborted === true) end();
  stop.addEventListener("abort", end);
  stopping?.addEventListener("abort", end);
  return {
    signal: either.signal,
    [Symbol.dispose]: () => {
      stop.removeEventListener("abort", end);
      stopping?.removeEventListener("abort", end);
    },
  };
}

function changeText(kind: ListKind): string {
  return `{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`;
}

function metaOf(id: RequestId): string {
  return `"_meta":{"${SUBSCRIPTION_KEY}":${id}}`;
}
