// The client half of MCP: knows servers, their revisions and sessions, and sends them requests.
import { type Clock, isFresh, type JsonObject, RecentMap, type Redacted } from "../../base";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, RpcError } from "../json-rpc";
import { type Answer, exchange, type ServerRequest } from "./exchange";
import { ProtocolError, ServerError } from "./failure";
import { metadataHeaders } from "./headers";
import { listen } from "./listening";
import { discover, initialize, modernMeta } from "./negotiate";
import { EVENT_TYPE, JSON_TYPE, type Send } from "./send";
import { type ServerFacts, type ServerSession, ServerSessions } from "./sessions";
import { isLost, isOfOtherFamily, isTimeout } from "./trouble";
import { MODERN } from "../versions";

export interface PeerOptions {
  /** Names the server; what is known of its revision is remembered under it. */
  server: string;
  /** Names the server, the user and the credential. Peers with the same key share a session. */
  session: string;
  send: Send;
  /** Sends without a user's token; ends a session that needs none. */
  ends?: Send | undefined;
  /** What this client can do for a server of revision 2026-07-28, after a call (`elicitation`). */
  capabilities: JsonObject;
  /** What it can do for a server of earlier revisions, while a call goes on. It belongs to the session. */
  liveCapabilities?: JsonObject;
  /** For each request, and again after each report of progress. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Members of `_meta` of each request. */
  meta?(): JsonObject | undefined;
  /** Whether the server is asked for reports of progress. */
  wantsProgress?: boolean;
  /** Notifications within an answer; those of progress only for our request. */
  notified?(method: string, params: JsonObject): void;
  /** Answers a request of the server, in revisions until 2025-11-25. Throws `RpcError`. */
  asked?(method: string, params: JsonObject): Promise<JsonObject>;
}

const FAMILY_MS = 24 * 60 * 60_000;
const MOST_SERVERS = 10_000;
/** For a notification. Nothing waits for it. */
const NOTICE_MS = 2000;

interface Family {
  /** Undefined: a server with `initialize`. */
  modern: ServerFacts | undefined;
  from: number;
}

/** Long-lived: one for all servers. */
export class McpClient {
  readonly #clock: Clock;
  readonly #families = new RecentMap<string, Family | undefined>(MOST_SERVERS);
  readonly sessions: ServerSessions;
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.sessions = new ServerSessions(clock);
  }

  peer(options: PeerOptions): McpPeer {
    return new McpPeer(this, options);
  }

  /** Ends all sessions. */
  close(): Promise<void> {
    return this.sessions.close();
  }

  /** An id that no other request of this process has. */
  nextId(): number {
    return ++this.#lastId;
  }

  familyOf(server: string): Family | undefined {
    const family = this.#families.get(server);
    return family !== undefined && isFresh(family.from, FAMILY_MS, this.#clock.now()) ? family : undefined;
  }

  remember(server: string, modern: ServerFacts | undefined): Family {
    const family = { modern, from: this.#clock.now() };
    this.#families.set(server, family);
    return family;
  }

  /** The server is asked again before the next request. */
  forget(server: string): void {
    this.#families.set(server, undefined);
  }
}

/** A server as one user with one credential reaches it, for as long as a call lasts. */
export class McpPeer {
  readonly #client: McpClient;
  readonly #options: PeerOptions;

  constructor(client: McpClient, options: PeerOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** What the server says about itself. Throws as `request` does. */
  async facts(): Promise<ServerFacts> {
    return (await this.#open()).facts;
  }

  /**
   * Sends a request and returns its result, after what a client does about a lost session and a server that has changed its
   * revision: neither has performed the request, so it is sent once more. `schema`: of the tool that it calls. Throws
   * `ServerError`, `StatusError`, `ProtocolError`, `ServerTimeout`, and what `send` throws.
   */
  async request(method: string, params: JsonObject, schema?: unknown): Promise<JsonObject> {
    const { server, session: key } = this.#options;
    const tried = { session: false, family: false };
    for (;;) {
      const isRemembered = this.#client.familyOf(server) !== undefined;
      let session: ServerSession | undefined;
      try {
        session = await this.#open();
        return (await this.#ask(session, method, params, schema)).result;
      } catch (thrown) {
        if (session !== undefined && isLost(session, thrown)) {
          this.#client.sessions.forget(key, session);
          if (tried.session)
            throw new ProtocolError("The server lost the session again, directly after it began.");
          tried.session = true;
        } else if (isRemembered && !tried.family && isOfOtherFamily(session, thrown)) {
          if (session !== undefined) this.#client.sessions.forget(key, session);
          this.#client.forget(server);
          tried.family = true;
        } else {
          // A server that refuses to begin may speak the other family.
          if (!(thrown instanceof ServerError) || session === undefined) this.#client.forget(server);
          throw thrown;
        }
      }
    }
  }

  async #open(): Promise<ServerSession> {
    const { server, session, liveCapabilities = {}, ends } = this.#options;
    const family =
      this.#client.familyOf(server) ??
      this.#client.remember(
        server,
        await discover(async (method, params) => (await this.#ask(PROBE, method, params)).result),
      );
    if (family.modern !== undefined) return { facts: family.modern, id: undefined };
    const start = (): Promise<ServerSession> =>
      initialize({
        capabilities: liveCapabilities,
        ask: (params) => this.#ask(HANDSHAKE, "initialize", params),
        initialized: (begun) => this.#notify(begun, "notifications/initialized", {}),
      });
    return this.#client.sessions.open(session, start, ends);
  }

  async #ask(session: ServerSession, method: string, params: JsonObject, schema?: unknown): Promise<Answer> {
    const { send, signal, timeoutMs, capabilities, wantsProgress = false } = this.#options;
    const id = this.#client.nextId();
    const { modern, version } = session.facts;
    const meta = {
      ...this.#options.meta?.(),
      ...(modern ? modernMeta(capabilities) : {}),
      ...(wantsProgress && method === "tools/call" ? { progressToken: id } : {}),
    };
    const full = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    using _listening = method === "tools/call" ? await this.#listening(session) : undefined;
    try {
      return await exchange({
        send,
        id,
        method,
        params: full,
        headers: modern
          ? metadataHeaders({ method, params: full }, version, schema)
          : sessionHeaders(session),
        timeoutMs,
        signal,
        resumes: !modern,
        notified: (notification) => this.#notified(notification, id),
        asked: (request) => this.#answer(session, request),
      });
    } catch (thrown) {
      const isGivenUp = signal?.aborted === true || isTimeout(thrown);
      if (isGivenUp && !modern && session !== HANDSHAKE) {
        void this.#notify(session, "notifications/cancelled", { requestId: id }).catch(() => undefined);
      }
      throw thrown;
    }
  }

  /** Where the server may ask, if there is somebody who can answer. */
  async #listening(session: ServerSession): Promise<Disposable | undefined> {
    const { send, timeoutMs, signal, liveCapabilities = {} } = this.#options;
    if (session.facts.modern || Object.keys(liveCapabilities).length === 0) return undefined;
    const asked = (request: ServerRequest): void => void this.#answer(session, request);
    return listen({ send, headers: sessionHeaders(session), timeoutMs, signal, asked });
  }

  #notified({ method, params }: { method: string; params: JsonObject }, id: number): void {
    // A report under another token is about another request, or made up.
    if (method === "notifications/progress" && params["progressToken"] !== id) return;
    this.#options.notified?.(method, params);
  }

  /** Answers a request of the server. Nothing waits for it: the reply to our own request may come before. */
  async #answer(session: ServerSession, { id, method, params }: ServerRequest): Promise<void> {
    if (session.facts.modern) return;
    const reply = await this.#replyTo(method, params);
    await this.#post(session, { jsonrpc: "2.0", id, ...reply }, this.#options.signal).catch(() => undefined);
  }

  async #replyTo(method: string, params: JsonObject): Promise<JsonObject> {
    if (method === "ping") return { result: {} };
    const { asked } = this.#options;
    try {
      if (asked !== undefined) return { result: await asked(method, params) };
    } catch (thrown) {
      if (thrown instanceof RpcError) return { error: { code: thrown.code, message: thrown.message } };
      return { error: { code: INTERNAL_ERROR, message: "The client could not answer." } };
    }
    return { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
  }

  #notify(session: ServerSession, method: string, params: JsonObject): Promise<void> {
    // The request that it is about may have been cancelled.
    return this.#post(session, { jsonrpc: "2.0", method, params }, AbortSignal.timeout(NOTICE_MS));
  }

  /** Sends a message that has no reply. */
  async #post(session: ServerSession, message: JsonObject, signal: AbortSignal | undefined): Promise<void> {
    const response = await this.#options.send({
      method: "POST",
      headers: {
        accept: `${JSON_TYPE}, ${EVENT_TYPE}`,
        "content-type": JSON_TYPE,
        ...sessionHeaders(session),
      },
      body: JSON.stringify(message),
      signal,
      timeoutMs: NOTICE_MS,
      streams: true,
    });
    await response.body?.cancel();
  }
}

/** What requests use before there is a session. */
const PROBE: ServerSession = {
  facts: { version: MODERN, modern: true, capabilities: {}, info: {} },
  id: undefined,
};
const HANDSHAKE: ServerSession = {
  facts: { version: "", modern: false, capabilities: {}, info: {} },
  id: undefined,
};

function sessionHeaders({ id, facts: { version } }: ServerSession): Record<string, string | Redacted> {
  return {
    ...(id === undefined ? {} : { "mcp-session-id": id }),
    ...(version === "" ? {} : { "mcp-protocol-version": version }),
  };
}
