// Requests that run a tool, in both families: tools/call, prompts/get, resources/read and completion/complete.
import { isObject, type JsonObject } from "../base";
import type { Core } from "../core";
import type { Gateway } from "../gateways";
import type { Tool } from "../tools";
import type { GatewayUser } from "./access";
import type { AnswerForm, Reader } from "./answer-form";
import type { CallAnswer, Calls, ToolCall } from "./call";
import { finderOf, type Finding, unknownTool } from "./finding";
import type { Finder } from "./finding/finders";
import { checkParameters, type HeaderReader } from "./http-headers";
import { INVALID_PARAMS, type Reply, resultReply, RpcError, type RpcMessage } from "./json-rpc";
import type { Offers } from "./offer";
import { type Asker, askerFor } from "./questions";
import type { ResultFields } from "./result";
import { cancellable, progressTokenOf, type Running } from "./running";
import { metaText } from "./server-info";
import type { Peer } from "./service";
import type { Session } from "./session";
import { notOffered, toolForm } from "./tool-form";
import { isRead, type Upstreams } from "./upstream";
import { inputOf } from "./upstream/listed-tool";
import { legacyVersion, supportsUrl } from "./versions";

type Request = Extract<RpcMessage, { kind: "request" }>;

/** Whether a request runs a tool. */
export function runsTool(method: unknown): boolean {
  return method === "tools/call" || (typeof method === "string" && isRead(method));
}

/** What a request runs, or an answer for which nothing runs. */
type Target = Run | { answer: ResultFields };

interface Run {
  tool: Tool;
  /** As those of a call of the tool. */
  params: JsonObject;
  form: AnswerForm;
}

export interface RequestParts {
  calls: Calls;
  offers: Offers;
  upstreams: Upstreams;
  finding: Finding;
  /** Running calls on a transport without headers, which has a single client. */
  piped: Running;
}

export class Requests {
  readonly #core: Core;
  readonly #parts: RequestParts;

  constructor(core: Core, parts: RequestParts) {
    this.#core = core;
    this.#parts = parts;
  }

  async legacy(request: Request, text: string, peer: Peer, session: Session | undefined): Promise<Reply> {
    const { id, params } = request;
    const version = session?.version ?? legacyVersion(peer.header?.("mcp-protocol-version") ?? "");
    const opensUrls = session?.byUrl === true && session.version === "2025-11-25";
    const reader = {
      modern: false,
      readsLinks: version !== "2025-03-26",
      opensUrls,
      parsesTexts: session?.parsesTexts === true,
      declared: {},
    };
    // Only the holder of a session can cancel its calls.
    const running = peer.header === undefined ? this.#parts.piped : session?.running;
    return cancellable(id, peer, running, async () => {
      const capabilities = liveCapabilities(peer, session);
      using asker = capabilities === undefined ? undefined : this.#asker(peer, session);
      const { fields, meta } = await this.#answer(await this.#target(peer.user, request, reader), {
        ...callOf(peer),
        progressToken: progressTokenOf(params, text),
        modern: false,
        capabilities: capabilities ?? {},
        ask: asker?.ask,
        consent: opensUrls ? "url_error" : "text",
      });
      const more = meta === undefined ? "" : `,"_meta":${JSON.stringify(meta)}`;
      return resultReply(id, `{${fields}${more}}`);
    });
  }

  async modern(request: Request, text: string, peer: Peer, capabilities: JsonObject): Promise<Reply> {
    const { id, params, method } = request;
    const { user, header } = peer;
    const reader = {
      modern: true,
      readsLinks: true,
      opensUrls: false,
      parsesTexts: false,
      declared: capabilities,
    };
    // A program cancels by a message, which names the request; over HTTP its client closes the stream.
    const running = header === undefined ? this.#parts.piped : undefined;
    return cancellable(id, peer, running, async () => {
      const target = await this.#target(user, request, reader);
      if (header !== undefined && method === "tools/call") this.#checkHeaders(header, target, params);
      const { fields, meta, inputRequired } = await this.#answer(target, {
        ...callOf(peer),
        progressToken: progressTokenOf(params, text),
        modern: true,
        capabilities,
        ask: undefined,
        consent: supportsUrl(capabilities) ? "input_required" : "text",
      });
      const type = inputRequired === true ? "input_required" : "complete";
      return resultReply(id, `{"resultType":"${type}","_meta":${metaText(user, meta)},${fields}}`);
    });
  }

  async #answer(target: Target, call: Omit<ToolCall, keyof Run>): Promise<CallAnswer> {
    return "answer" in target ? target.answer : this.#parts.calls.run({ ...target, ...call });
  }

  /** Of a call by its own name: a client of `call_tool` does not know which parameters are repeated in headers. */
  #checkHeaders(header: HeaderReader, target: Target, { name, arguments: given }: JsonObject): void {
    if ("answer" in target || target.tool.modelName !== name) return;
    if (this.#parts.offers.mirrors(target.tool))
      checkParameters(header, inputOf(target.tool.definition), given);
  }

  #asker({ notify, stop }: Peer, session: Session | undefined): Asker | undefined {
    if (notify === undefined || session === undefined) return undefined;
    return askerFor(this.#core, session.questions, notify, stop);
  }

  /** Throws `RpcError` if the gateway does not offer it. */
  async #target(user: GatewayUser, { method, params }: Request, reader: Reader): Promise<Target> {
    const maxBytes = this.#core.settings["mcp.max_result_bytes"];
    if (!isRead(method)) return this.#tool(user, params, reader, maxBytes);
    const { tool, input, form } = await this.#parts.upstreams.read(user, method, params, {
      reader,
      maxBytes,
    });
    return { tool, params: { ...params, name: tool.modelName, arguments: input }, form };
  }

  async #tool(user: GatewayUser, params: JsonObject, reader: Reader, maxBytes: number): Promise<Target> {
    const { gateway } = user;
    const { name, arguments: given } = params;
    if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "params.name must be a string.");
    // As everywhere, `null` is the same as absent.
    if (given !== undefined && given !== null && !isObject(given)) {
      throw new RpcError(INVALID_PARAMS, "params.arguments must be an object.");
    }
    const { byName, finders } = await this.#parts.offers.of(gateway);
    const finder = finders.length === 0 ? undefined : finderOf(name);
    if (finder !== undefined) return this.#find(user, finder, params, reader, maxBytes);
    const tool = byName.get(name);
    if (tool === undefined) throw notOffered();
    return { tool, params, form: await this.#formOf(gateway, tool, reader, maxBytes) };
  }

  /** The answer to a search, or the run of the tool that `call_tool` names. */
  async #find(
    user: GatewayUser,
    finder: Finder,
    params: JsonObject,
    reader: Reader,
    maxBytes: number,
  ): Promise<Target> {
    // Checked in `#tool`.
    const given = (params["arguments"] ?? {}) as JsonObject;
    const found = await this.#parts.finding.answer(user, finder, given, { modern: reader.modern, maxBytes });
    if ("answer" in found) return found;
    const { tool, input, name } = found;
    const form = await this.#formOf(user.gateway, tool, reader, maxBytes);
    return {
      tool,
      params: { ...params, name: tool.modelName, arguments: input },
      form: { ...form, missing: () => unknownTool(name) },
    };
  }

  async #formOf(gateway: Gateway, tool: Tool, reader: Reader, maxBytes: number): Promise<AnswerForm> {
    const isUpstream = tool.catalog.worker?.type === "mcp";
    const shown = isUpstream ? await this.#parts.upstreams.shownBy(gateway, tool, reader) : unchanged;
    return toolForm({ tool, reader, maxBytes, log: this.#core.log, shown });
  }
}

function callOf(peer: Peer): Pick<ToolCall, "user" | "signal" | "stopping" | "notify" | "headers"> {
  const { user, stop: signal, stopping, notify } = peer;
  return { user, signal, stopping, notify, headers: passedHeaders(peer) };
}

function unchanged(items: JsonObject[]): JsonObject[] {
  return items;
}

/** What the client of a session can be asked while its call runs; undefined if it cannot. */
function liveCapabilities({ header, notify }: Peer, session: Session | undefined): JsonObject | undefined {
  // Questions are sent in the stream of the call.
  const streams = header === undefined || header("accept")?.includes("text/event-stream") === true;
  if (session === undefined || notify === undefined || !streams) return undefined;
  const byUrl = session.byUrl && session.version === "2025-11-25";
  if (!session.byForm && !byUrl) return undefined;
  return { elicitation: { ...(session.byForm ? { form: {} } : {}), ...(byUrl ? { url: {} } : {}) } };
}

/** The headers of the request that the gateway passes on. */
function passedHeaders({ user, header }: Peer): Record<string, string> {
  const { passedHeaders: names } = user.gateway;
  if (header === undefined || names.length === 0) return {};
  const sent = names.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(sent);
}
