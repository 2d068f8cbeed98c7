// MCP for gateways: takes a message and returns a reply, on any transport. One address supports all protocol revisions.
import { version as productVersion } from "../../package.json";
import { isObject, type Json, type JsonObject, type LazyAbort } from "../base";
import type { Refusals } from "../audit";
import type { AuthorizationService } from "../authorization";
import type { Core } from "../core";
import type { Gateway, Gateways } from "../gateways";
import type { Identity } from "../identity";
import type { Activity, TraceHeaders } from "../telemetry";
import type { Tool, Tools } from "../tools";
import { Access, type GatewayUser, type OfPeople } from "./access";
import { Calls, rpcErrorOf } from "./call";
import { GatewayConsent } from "./consent";
import { Finding } from "./finding";
import { checkHeaders, checkVersionHeader, type HeaderReader } from "./http-headers";
import {
  ACCEPTED,
  errorReply,
  INVALID_PARAMS,
  isNotification,
  noSuchMethod,
  readMessage,
  type Reply,
  requestIdOf,
  resultReply,
  RpcError,
  type RpcMessage,
} from "./json-rpc";
import { ListChanges, type ListKind } from "./list-changes";
import { Offers } from "./offer";
import { answered } from "./questions";
import { RequestStates } from "./request-state";
import { Requests, runsTool } from "./requests";
import { cancellable, cancel, type Running } from "./running";
import { capabilitiesOf, discovered, metaText } from "./server-info";
import { type Session, Sessions } from "./session";
import { Subscriptions } from "./subscription";
import { isListMethod, Upstreams } from "./upstream";
import {
  declaredCapabilities,
  legacyVersion,
  metaOf,
  MODERN,
  namedVersion,
  negotiated,
  parsesTexts,
  supportsForms,
  supportsUrl,
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

/** How long a client may cache what it learns. A list for a moment only: not every client listens for changes. */
const CACHE_HINTS = '"ttlMs":60000,"cacheScope":"private"';
const LIST_CACHE_HINTS = '"ttlMs":1000,"cacheScope":"private"';

export class Mcp {
  readonly access: Access;
  readonly subscriptions: Subscriptions;
  readonly #core: Core;
  readonly #tools: Tools;
  readonly #sessions: Sessions;
  readonly #offers: Offers;
  readonly #upstreams: Upstreams;
  readonly #requests: Requests;
  readonly #changes: ListChanges;
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
      people: OfPeople;
    },
  ) {
    const { identity, refusals, gateways, tools, authorization, people } = parts;
    this.#core = core;
    this.#tools = tools;
    this.access = new Access(identity, () => core.publicUrl(), refusals, people);
    this.#sessions = new Sessions(core);
    this.#offers = new Offers(tools, core.log);
    this.#upstreams = new Upstreams(tools);
    const lists = { tools: this.#offers, ...this.#upstreams.lists };
    this.#changes = new ListChanges(core, gateways, this.access.isAllowed, lists);
    this.subscriptions = new Subscriptions(this.#changes, this.#sessions);
    this.#requests = new Requests(core, {
      calls: new Calls({
        tools,
        consent: new GatewayConsent(core, tools, authorization),
        states: new RequestStates(core),
      }),
      offers: this.#offers,
      upstreams: this.#upstreams,
      finding: new Finding(tools, this.#offers),
      piped: this.#piped,
    });
  }

  /** The tools of a gateway that a user may see, whether they are listed or found by search. */
  async toolsFor(gateway: Gateway, userId: string): Promise<readonly Tool[]> {
    return this.#tools.visible(gateway.projectId, userId, (await this.#offers.of(gateway)).tools);
  }

  /**
   * The reply to a message, also given as text. Never rejects: a failure becomes an error reply, and its cause goes to the
   * log.
   */
  answer(value: Json, text: string, peer: Peer): Promise<Reply> {
    const start = { ...methodAndTrace(value), gateway: peer.user.gateway.slug };
    return this.#core.telemetry.observe("mcp", start, (activity) =>
      this.#observed(activity, value, text, peer),
    );
  }

  async #observed(activity: Activity<"mcp">, value: Json, text: string, peer: Peer): Promise<Reply> {
    try {
      return await this.#dispatch(readMessage(value, text), text, peer);
    } catch (error) {
      activity.end({ outcome: "error", ...(error instanceof RpcError ? { code: error.code } : {}) });
      if (!(error instanceof RpcError)) this.#core.log.error("mcp request failed", { error });
      if (peer.header === undefined && isNotification(value)) return ACCEPTED;
      const refusal = error instanceof RpcError ? error : rpcErrorOf(error);
      return errorReply(requestIdOf(value, text), refusal);
    }
  }

  async #dispatch(message: RpcMessage, text: string, peer: Peer): Promise<Reply> {
    if (message.kind === "response") return this.#answered(message, peer);
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
    const { id, method } = message;
    if (method === "ping") return resultReply(id, "{}");
    if (runsTool(method)) return this.#requests.legacy(message, text, peer, session);
    const page = await this.#page(peer.user, message, false, listed(session));
    if (page !== undefined) return resultReply(id, `{${page}}`);
    throw noSuchMethod(false);
  }

  /** The answer of a client to a question of its call. Only the holder of a session can answer. */
  async #answered(message: Extract<RpcMessage, { kind: "response" }>, peer: Peer): Promise<Reply> {
    if (peer.sessionId !== undefined)
      answered((await this.#sessions.open(peer.sessionId, peer.user)).questions, message);
    return ACCEPTED;
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
      capabilities: await this.#capabilities(user),
      serverInfo: { name, title, version: productVersion },
      ...(instructions === undefined ? {} : { instructions }),
    };
    const sessionId = await this.#sessions.begin(user, {
      version,
      byUrl: supportsUrl(capabilities),
      byForm: version !== "2025-03-26" && supportsForms(capabilities),
      parsesTexts: parsesTexts(params),
    });
    return { ...resultReply(id, JSON.stringify(result)), sessionId };
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
    if (method === "server/discover") {
      const has = await this.#capabilities(user);
      return resultReply(id, `{${start},${discovered(user, has)},${CACHE_HINTS}}`);
    }
    if (runsTool(method)) return this.#requests.modern(request, text, peer, capabilities);
    if (method === "subscriptions/listen") return this.#listen(request, peer);
    const page = await this.#page(user, request, true, () => undefined);
    if (page !== undefined) return resultReply(id, `{${start},${page},${LIST_CACHE_HINTS}}`);
    throw noSuchMethod(true);
  }

  /**
   * A page of a list, as JSON without the outer braces; undefined if the method does not list anything. `listed` gets the
   * fingerprint of the whole list.
   */
  async #page(
    user: GatewayUser,
    { method, params }: Request,
    modern: boolean,
    listed: (kind: ListKind, fingerprint: string) => void,
  ): Promise<string | undefined> {
    if (method === "tools/list")
      return this.#offers.page(user, cursorOf(params), modern, (tools) => listed("tools", tools));
    if (!isListMethod(method)) return undefined;
    return this.#upstreams.page(user, method, cursorOf(params), listed);
  }

  /** What the gateway offers. */
  async #capabilities({ gateway }: GatewayUser): Promise<JsonObject> {
    const { prompts, resources, completions } = (await this.#upstreams.of(gateway)).has;
    const has = { tools: true, prompts, resources };
    return capabilitiesOf(
      this.#changes.kinds.filter((kind) => has[kind]),
      completions,
    );
  }

  async #listen({ id, params }: Request, peer: Peer): Promise<Reply> {
    const running = peer.header === undefined ? this.#piped : undefined;
    return cancellable(id, peer, running, () => this.subscriptions.listen(id, params, peer));
  }
}

/** Remembers what a client lists, so that a stream that it opens later tells it of changes since then. */
function listed(session: Session | undefined): (kind: ListKind, fingerprint: string) => void {
  return (kind, fingerprint) => {
    if (session !== undefined) session.listed[kind] = fingerprint;
  };
}

function methodAndTrace(value: Json): { method: string } & TraceHeaders {
  if (!isObject(value)) return { method: "" };
  const { method, params } = value;
  const { traceparent, tracestate } = (isObject(params) ? metaOf(params as JsonObject) : undefined) ?? {};
  return {
    method: typeof method === "string" ? method : "",
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
    tracestate: typeof tracestate === "string" ? tracestate : undefined,
  };
}

function cursorOf({ cursor }: JsonObject): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === "string") return cursor;
  throw new RpcError(INVALID_PARAMS, "params.cursor must be a string.");
}
