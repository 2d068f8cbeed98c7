// MCP for gateways: takes a message and returns a reply, on any transport. One address supports all protocol revisions.
import { version as productVersion } from "../../package.json";
import { isObject, type Json, type JsonObject, type LazyAbort } from "../base";
import type { Refusals } from "../audit";
import type { AuthorizationService } from "../authorization";
import type { Core } from "../core";
import type { Gateways } from "../gateways";
import type { Identity } from "../identity";
import type { Tools } from "../tools";
import { Access, type GatewayUser } from "./access";
import { type CallAnswer, Calls, internalRpcError, type ToolCall } from "./call";
import { GatewayConsent } from "./consent";
import { checkHeaders, checkParameters, checkVersionHeader, type HeaderReader } from "./http-headers";
import {
  ACCEPTED,
  errorReply,
  INVALID_PARAMS,
  isNotification,
  METHOD_NOT_FOUND,
  readMessage,
  type Reply,
  type RequestId,
  requestIdOf,
  resultReply,
  RpcError,
  type RpcMessage,
} from "./json-rpc";
import { Offers } from "./offer";
import { RequestStates } from "./request-state";
import { cancel, held, progressTokenOf, type Running } from "./running";
import { discovered, metaText } from "./server-info";
import { type Session, Sessions } from "./session";
import { Subscriptions } from "./subscription";
import {
  supportsUrl,
  declaredCapabilities,
  legacyVersion,
  MODERN,
  namedVersion,
  negotiated,
  unsupported,
} from "./versions";

/** The sender of a message, and its connection. */
export interface Peer {
  user: GatewayUser;
  /** `Mcp-Session-Id`, or the session of the transport. */
  sessionId: string | undefined;
  /** Undefined on transports without headers. */
  header: HeaderReader | undefined;
  /** Aborted by the transport when the client disconnects, and here when it cancels. One per message. */
  stop: LazyAbort;
  /** Aborts when the server is about to stop. */
  stopping: AbortSignal | undefined;
  /** Sends a notification before the reply; undefined if the transport cannot. */
  notify: ((text: string) => void) | undefined;
}

type Request = Extract<RpcMessage, { kind: "request" }>;
type Query = Exclude<RpcMessage, { kind: "response" }>;

/** How long a client may cache a list. */
const CACHE_HINTS = '"ttlMs":60000,"cacheScope":"private"';

export class Mcp {
  readonly access: Access;
  readonly #core: Core;
  readonly #sessions: Sessions;
  readonly #offers: Offers;
  readonly #calls: Calls;
  readonly #subscriptions: Subscriptions;
  /** Running calls on a transport without headers, which has a single client. */
  readonly #piped: Running = new Map();

  constructor(
    core: Core,
    parts: {
      identity: Identity;
      refusals: Refusals;
      gateways: Gateways;
      tools: Tools;
      authorization: AuthorizationService;
    },
  ) {
    const { identity, refusals, gateways, tools, authorization } = parts;
    this.#core = core;
    this.access = new Access(identity, () => core.publicUrl(), refusals);
    this.#sessions = new Sessions(core);
    this.#subscriptions = new Subscriptions(core, gateways);
    this.#offers = new Offers(tools, core.log);
    this.#calls = new Calls(core, {
      tools,
      offers: this.#offers,
      consent: new GatewayConsent(core, tools, authorization),
      states: new RequestStates(core),
    });
  }

  /**
   * The reply to a message, also given as text. Never rejects: a failure becomes an error reply, and its cause goes to the
   * log.
   */
  async answer(value: Json, text: string, peer: Peer): Promise<Reply> {
    try {
      return await this.#dispatch(readMessage(value, text), text, peer);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#core.log.error("mcp request failed", { error });
      if (peer.header === undefined && isNotification(value)) return ACCEPTED;
      const refusal = error instanceof RpcError ? error : internalRpcError();
      return errorReply(requestIdOf(value, text), refusal);
    }
  }

  async #dispatch(message: RpcMessage, text: string, peer: Peer): Promise<Reply> {
    if (message.kind === "response") return ACCEPTED;
    const named = namedVersion(message.params);
    const header = peer.header?.("mcp-protocol-version") ?? undefined;
    const version = named ?? header;
    const first =
      version === undefined || legacyVersion(version) !== undefined || message.method === "initialize";
    // `initialize` may have any version header.
    if (first && named === undefined) return this.#legacy(message, text, peer);
    if (message.kind === "notification") {
      if (version !== MODERN) throw unsupported(version ?? "");
      // Over HTTP, clients of this revision cancel by closing the connection.
      if (peer.header === undefined) cancel(message, text, this.#piped);
      return ACCEPTED;
    }
    return this.#modern(message, text, peer, named);
  }

  async #legacy(message: Query, text: string, peer: Peer): Promise<Reply> {
    // A client that starts again may still send the id of an old session.
    if (message.kind === "request" && message.method === "initialize") return this.#initialize(message, peer);
    const session =
      peer.sessionId === undefined ? undefined : await this.#sessions.open(peer.sessionId, peer.user);
    if (message.kind === "notification") {
      cancel(message, text, peer.header === undefined ? this.#piped : session?.running);
      return ACCEPTED;
    }
    const { id, method, params } = message;
    switch (method) {
      case "ping":
        return resultReply(id, "{}");
      case "tools/list":
        return resultReply(id, `{${await this.#offers.page(peer.user, cursorOf(params))}}`);
      case "tools/call":
        return this.#callLegacy(message, text, peer, session);
      default:
        throw new RpcError(METHOD_NOT_FOUND, "Method not found");
    }
  }

  async #initialize({ id, params }: Request, { user }: Peer): Promise<Reply> {
    const requested = params["protocolVersion"];
    if (typeof requested !== "string")
      throw new RpcError(INVALID_PARAMS, "params.protocolVersion must be a string, such as 2025-11-25.");
    const version = negotiated(requested);
    const capabilities = isObject(params["capabilities"]) ? (params["capabilities"] as JsonObject) : {};
    const { name: title, slug: name, instructions } = user.gateway;
    const result = {
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name, title, version: productVersion },
      ...(instructions === undefined ? {} : { instructions }),
    };
    const sessionId = await this.#sessions.begin(user, { version, byUrl: supportsUrl(capabilities) });
    return { ...resultReply(id, JSON.stringify(result)), sessionId };
  }

  async #callLegacy(
    { id, params }: Request,
    text: string,
    peer: Peer,
    session: Session | undefined,
  ): Promise<Reply> {
    const { user, notify, stop, stopping } = peer;
    const byUrl = session?.byUrl === true && session.version === "2025-11-25";
    const call: ToolCall = {
      user,
      params,
      progressToken: progressTokenOf(params, text),
      tool: await this.#calls.find(user, params),
      modern: false,
      capabilities: {},
      consent: byUrl ? "url_error" : "text",
      signal: stop,
      stopping,
      notify,
    };
    // Only the holder of a session can cancel its calls.
    const running = peer.header === undefined ? this.#piped : session?.running;
    const answer = await this.#cancellable(call, peer, id, running);
    if (answer === undefined) return ACCEPTED;
    const { fields, meta } = answer;
    return resultReply(
      id,
      meta === undefined ? `{${fields}}` : `{${fields},"_meta":${JSON.stringify(meta)}}`,
    );
  }

  /** Runs a call that its client may cancel. Undefined if it did: it gets no answer. */
  async #cancellable(
    call: ToolCall,
    { stop }: Peer,
    id: RequestId,
    running: Running | undefined,
  ): Promise<CallAnswer | undefined> {
    const hold = running === undefined ? undefined : held(running, id, stop);
    try {
      const answer = await this.#calls.run(call);
      return stop.aborted ? undefined : answer;
    } finally {
      hold?.[Symbol.dispose]();
    }
  }

  async #modern(request: Request, text: string, peer: Peer, named: string | undefined): Promise<Reply> {
    const { id, method, params } = request;
    const { header, user } = peer;
    if (header !== undefined) {
      checkVersionHeader(header, named);
      const version = named ?? header("mcp-protocol-version") ?? "";
      if (version !== MODERN) throw unsupported(version);
      checkHeaders(header, method, params);
    } else if (named !== MODERN) throw unsupported(named ?? "");
    const capabilities = declaredCapabilities(params);
    const start = `"resultType":"complete","_meta":${metaText(user)}`;
    switch (method) {
      case "server/discover":
        return resultReply(id, `{${start},${discovered(user)},${CACHE_HINTS}}`);
      case "tools/list":
        return resultReply(
          id,
          `{${start},${await this.#offers.page(user, cursorOf(params))},${CACHE_HINTS}}`,
        );
      case "tools/call":
        return this.#callModern(request, text, peer, capabilities);
      case "subscriptions/listen":
        return this.#listen(request, peer);
      default:
        throw new RpcError(METHOD_NOT_FOUND, "Method not found", { status: 404 });
    }
  }

  async #listen({ id, params }: Request, peer: Peer): Promise<Reply> {
    // A program cancels by a message, which names the request; over HTTP its client closes the stream.
    const running = peer.header === undefined ? this.#piped : undefined;
    using _hold = running === undefined ? undefined : held(running, id, peer.stop);
    return await this.#subscriptions.listen(id, params, peer);
  }

  async #callModern(
    { id, params }: Request,
    text: string,
    peer: Peer,
    capabilities: JsonObject,
  ): Promise<Reply> {
    const { user, header, stop, stopping, notify } = peer;
    const tool = await this.#calls.find(user, params);
    if (header !== undefined && this.#offers.mirrors(tool))
      checkParameters(header, tool.definition.input, params["arguments"]);
    const answer = await this.#cancellable(
      {
        user,
        params,
        progressToken: progressTokenOf(params, text),
        tool,
        modern: true,
        capabilities,
        consent: supportsUrl(capabilities) ? "input_required" : "text",
        signal: stop,
        stopping,
        notify,
      },
      peer,
      id,
      header === undefined ? this.#piped : undefined,
    );
    if (answer === undefined) return ACCEPTED;
    const { fields, meta, inputRequired } = answer;
    const type = inputRequired === true ? "input_required" : "complete";
    return resultReply(id, `{"resultType":"${type}","_meta":${metaText(user, meta)},${fields}}`);
  }
}

function cursorOf({ cursor }: JsonObject): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === "string") return cursor;
  throw new RpcError(INVALID_PARAMS, "params.cursor must be a string.");
}
