// Relays messages between a client on standard input and a gateway of a server: a full server to the one, a full client of the
// other, of both protocol families.
import { isObject, type JsonObject, memberText } from "../src/base";
import { toRuntimeError } from "../src/errors";
import {
  errorReply,
  HEADER_MISMATCH,
  identifierIn,
  metadataHeaders,
  requestIdOf,
  RpcError,
} from "../src/mcp";
import type { Server } from "./client/http";
import { type LegacyState, sessionHeaders, versionOf } from "./mcp-headers";
import { codeOf, errorIn, firstOf, messageIn, messagesOf, oneLine } from "./mcp-answers";
import type { Handler } from "./mcp-lines";
import { hearNews } from "./mcp-news";

const ACCEPT = "application/json, text/event-stream";
const FAILED = -32000;
const INITIALIZED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
/** More pages of tools than any gateway has. */
const MOST_PAGES = 100;

interface Message {
  value: JsonObject;
  line: string;
  /** Of a request. */
  id: string | undefined;
  /** Named in the message; undefined for one of a session. */
  version: string | undefined;
}

type Write = (text: string) => void;

/** Relays to a gateway for a user. */
export function relayTo(server: Server, slug: string, userId: string): Handler {
  const relay = new Relay(server, `/mcp/${encodeURIComponent(slug)}`, userId);
  return async (value, write, line, ended) => {
    const id = requestIdOf(value, line);
    try {
      // Anything else is the server's to refuse.
      const message = {
        value: isObject(value) ? (value as JsonObject) : {},
        line,
        id,
        version: versionOf(value),
      };
      await relay.send(message, write, ended);
    } catch (error) {
      // Notifications get no reply.
      if (id === undefined) return;
      const reason = error instanceof Error ? error.message : toRuntimeError(error).message;
      write(errorReply(id, new RpcError(FAILED, reason)).text ?? "");
    }
  };
}

class Relay {
  readonly #server: Server;
  readonly #path: string;
  readonly #user: string;
  /** What `initialize` agreed on, and its message, with which a lost session is started again. */
  #state: LegacyState = {};
  #initialize: string | undefined;
  #restart: Promise<void> | undefined;
  /** Ends the stream of the session. */
  #listening: AbortController | undefined;
  /** Requests of the second family in flight: closing the stream is how they are cancelled over HTTP. */
  readonly #running = new Map<string, AbortController>();
  readonly #schemas = new Map<string, unknown>();

  constructor(server: Server, path: string, userId: string) {
    this.#server = server;
    this.#path = path;
    // The server decodes header bytes as UTF-8.
    this.#user = Buffer.from(userId).toString("latin1");
  }

  async send(message: Message, write: Write, ended: AbortSignal): Promise<void> {
    const { value, line, id, version } = message;
    if (value["method"] === "notifications/cancelled" && this.#cancel(value, line)) return;
    if (id === undefined) {
      await this.#exchange(message, write, undefined);
      if (version === undefined && value["method"] === "notifications/initialized")
        this.#listen(write, ended);
      return;
    }
    // Calls may take long. Clients have time limits of their own, and cancel.
    const controller = new AbortController();
    // In a session, the server cancels.
    if (version === undefined) return this.#exchange(message, write, controller.signal);
    // A subscription has no end of its own.
    if (value["method"] === "subscriptions/listen")
      ended.addEventListener("abort", () => controller.abort(), { signal: controller.signal });
    this.#running.set(id, controller);
    try {
      await this.#exchange(message, write, controller.signal);
    } catch (error) {
      // A cancelled request gets no reply.
      if (!controller.signal.aborted) throw error;
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
      // Releases the listener.
      controller.abort();
    }
  }

  /** Whether the notification was about a request that is cancelled here. */
  #cancel(value: JsonObject, line: string): boolean {
    const params = isObject(value["params"]) ? value["params"] : {};
    const id = identifierIn(params["requestId"], () => memberText(line, "params", "requestId"));
    const controller = id === undefined ? undefined : this.#running.get(id);
    controller?.abort();
    return controller !== undefined;
  }

  /** Passes on what the gateway says between calls, until the next session begins. */
  #listen(write: Write, ended: AbortSignal): void {
    this.#listening?.abort();
    const listening = (this.#listening = new AbortController());
    ended.addEventListener("abort", () => listening.abort(), { signal: listening.signal });
    const get = (since: string | undefined, signal: AbortSignal): Promise<Response> => {
      const last = since === undefined ? {} : { "last-event-id": since };
      const headers = { "x-user-id": this.#user, ...sessionHeaders(this.#state), ...last };
      return this.#server.listen(this.#path, { accept: "text/event-stream", ...headers }, signal);
    };
    void hearNews({
      open: async (since, signal) => {
        const response = await get(since, signal);
        if (response.status !== 404 || !(await this.#restarted())) return response;
        await response.body?.cancel();
        return get(since, signal);
      },
      pass: (text) => write(oneLine(text)),
      ended: listening.signal,
    });
  }

  /** Sends a message, and passes its replies on. */
  async #exchange(message: Message, write: Write, signal: AbortSignal | undefined): Promise<void> {
    const response = await this.#answer(message, signal);
    let replied = message.id === undefined;
    for await (const text of messagesOf(response)) {
      const reply = messageIn(text);
      if (reply === undefined) throw new Error(errorIn(text, response.status));
      if (message.version === undefined) this.#remember(message, response, reply);
      this.#learnFrom(reply);
      replied ||= "result" in reply || "error" in reply;
      if (signal?.aborted !== true) write(oneLine(text));
    }
    if (!replied && response.status !== 202) throw new Error("The server ended its answer before the reply.");
  }

  /** The answer of the server, after what a client does about a lost session and a changed schema. */
  async #answer(message: Message, signal: AbortSignal | undefined): Promise<Response> {
    const { value, version } = message;
    const tool = version === undefined ? undefined : toolOf(value);
    if (tool !== undefined && !this.#schemas.has(tool)) await this.#learn(message, signal);
    const response = await this.#post(message, signal);
    if (version === undefined) {
      const isLost = response.status === 404 && value["method"] !== "initialize" && (await this.#restarted());
      return isLost ? this.#post(message, signal) : response;
    }
    if (tool === undefined || response.status !== 400) return response;
    const text = await response.text();
    if (codeOf(messageIn(text)) !== HEADER_MISMATCH) return new Response(text, { status: response.status });
    await this.#learn(message, signal);
    return this.#post(message, signal);
  }

  #post({ value, line, version }: Message, signal: AbortSignal | undefined): Promise<Response> {
    const tool = toolOf(value);
    const schema = tool === undefined ? undefined : this.#schemas.get(tool);
    return this.#open(
      line,
      version === undefined ? sessionHeaders(this.#state) : metadataHeaders(value, version, schema),
      signal,
    );
  }

  #open(body: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    return this.#server.open(
      this.#path,
      body,
      { accept: ACCEPT, "x-user-id": this.#user, ...headers },
      signal,
    );
  }

  /**
   * Starts a lost session again (revision 2025-11-25, "Session Management", rule 4). Concurrent messages share it. False if
   * there was none, or the gateway is gone.
   */
  async #restarted(): Promise<boolean> {
    const { session } = this.#state;
    if (session === undefined || this.#initialize === undefined) return false;
    this.#restart ??= this.#startAgain(this.#initialize).finally(() => {
      this.#restart = undefined;
    });
    await this.#restart;
    return this.#state.session !== session;
  }

  async #startAgain(initialize: string): Promise<void> {
    const response = await this.#open(initialize, {});
    const session = response.headers.get("mcp-session-id");
    await response.body?.cancel();
    if (!response.ok || session === null) return;
    this.#state = { ...this.#state, session };
    const answer = await this.#open(INITIALIZED, sessionHeaders(this.#state));
    await answer.body?.cancel();
  }

  #remember({ value, line }: Message, response: Response, reply: JsonObject): void {
    const { result } = reply;
    if (value["method"] !== "initialize" || !isObject(result)) return;
    const session = response.headers.get("mcp-session-id");
    const version = result["protocolVersion"];
    this.#initialize = line;
    this.#state = {
      ...(session === null ? {} : { session }),
      ...(typeof version === "string" ? { version } : {}),
    };
  }

  /** Reads the schemas of all tools, because headers must repeat the parameters that they mark. */
  async #learn({ value, version = "" }: Message, signal: AbortSignal | undefined): Promise<void> {
    const params = isObject(value["params"]) ? value["params"] : {};
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page++) {
      const more = cursor === undefined ? {} : { cursor };
      const list = {
        jsonrpc: "2.0",
        id: `relay ${page}`,
        method: "tools/list",
        params: { _meta: params["_meta"], ...more },
      };
      const headers = metadataHeaders(list as JsonObject, version, undefined);
      const response = await this.#open(JSON.stringify(list), headers, signal);
      const reply = messageIn(await firstOf(response));
      this.#learnFrom(reply ?? {});
      const result = reply?.["result"];
      cursor = isObject(result) ? result["nextCursor"] : undefined;
      if (typeof cursor !== "string") return;
    }
  }

  #learnFrom({ result }: JsonObject): void {
    if (!isObject(result) || !Array.isArray(result["tools"])) return;
    for (const tool of result["tools"]) {
      if (isObject(tool) && typeof tool["name"] === "string")
        this.#schemas.set(tool["name"], tool["inputSchema"]);
    }
  }
}

/** The tool that a message calls. */
function toolOf({ method, params }: JsonObject): string | undefined {
  const name = method === "tools/call" && isObject(params) ? params["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
