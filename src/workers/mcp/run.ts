// Runs a tool of an MCP server.
import { isObject, type JsonObject, Redacted } from "../../base";
import {
  HEADER_MISMATCH,
  listAll,
  type McpPeer,
  type PeerOptions,
  ProtocolError,
  type Send,
  ServerError,
} from "../../mcp";
import {
  type Carried,
  InputNeeded,
  networkTimeout,
  outcomeUnknown,
  type ToolContext,
  type ToolDefinition,
  type ToolError,
} from "../../tools";
import type { LoadedWorker, WorkerTool } from "../tool";
import type { WorkerUser } from "../user-values";
import { Asks } from "./asks";
import { callFailure, isTokenRefused, isUnknownTool } from "./call-failures";
import { HeldCall } from "./held";
import { mayRepeat } from "./hints";
import {
  callSend,
  headersOf,
  type McpParts,
  ownSend,
  secretAddressOf,
  serverKey,
  sessionKey,
  traceMeta,
  type WorkerHeaders,
} from "./reach";
import { completionOutput, outputOf, promptOutput, resourceOutput } from "./result";
import { OwnTokens } from "./own-tokens";
import { relaying } from "./relay";

/** Left for telling the server that a call is cancelled. */
const RESERVE_MS = 300;
const FIRST_WAIT_MS = 250;
/** Questions and answers within one run. */
const MOST_ROUNDS = 10;

/** The function of a tool. It throws `ToolError`, and `EgressError` only for what nothing can be said about. */
export function running(parts: McpParts, worker: LoadedWorker, tool: WorkerTool): ToolDefinition["run"] {
  return async (input, context) => {
    const call = new Call(parts, worker, tool, context);
    // Checked against the schema of the tool.
    const result = await call.result(input as JsonObject);
    return outputFor(tool, result, { worker, tool, context, maxBytes: parts.maxResultBytes });
  };
}

function outputFor(tool: WorkerTool, result: JsonObject, options: Parameters<typeof outputOf>[1]): Carried {
  if (tool.reserved === "resource") return resourceOutput(result, options.maxBytes);
  if (tool.reserved === "prompt") return promptOutput(result, options.maxBytes);
  if (tool.reserved === "completion") return completionOutput(result);
  return outputOf(result, options);
}

/** How a run reaches the server. */
interface Reach {
  session: string;
  send: Send;
  liveCapabilities: JsonObject;
}

/** One run of a tool, with its repeats. */
class Call {
  readonly #parts: McpParts;
  readonly #worker: LoadedWorker;
  readonly #tool: WorkerTool;
  readonly #context: ToolContext;
  readonly #asks: Asks;
  readonly #own = new OwnTokens();
  /** As the server lists it, if a call has shown that the stored one is old. */
  #schema: unknown;

  constructor(parts: McpParts, worker: LoadedWorker, tool: WorkerTool, context: ToolContext) {
    this.#parts = parts;
    this.#worker = worker;
    this.#tool = tool;
    this.#context = context;
    this.#asks = new Asks(worker, context.caller);
    this.#own.addKeys(context.userKeys);
    this.#schema = tool.original?.["inputSchema"] ?? tool.input;
  }

  async result(input: JsonObject): Promise<JsonObject> {
    const { worker, hasGrant } = { worker: this.#worker, hasGrant: this.#context.grant !== undefined };
    const repeatable = mayRepeat(worker, this.#tool) || this.#tool.reserved !== undefined;
    const tried = { token: false, schema: false };
    for (let attempt = 0; ;) {
      try {
        return await this.#once(input);
      } catch (thrown) {
        // In these cases the call has not run.
        if (isTokenRefused(thrown) && hasGrant && !tried.token) {
          tried.token = true;
          if (await this.#context.renew()) continue;
        }
        if (isMismatch(thrown) && !tried.schema) {
          tried.schema = true;
          if (await this.#learn()) continue;
        }
        if (isUnknownTool(thrown) || isMismatch(thrown)) this.#parts.stale?.(worker.projectId, worker.id);
        const { error, repeats } = callFailure({ worker, hasGrant, mayRepeat: repeatable }, thrown);
        if (!repeats || attempt >= worker.retry || !(await this.#waited(attempt))) throw error;
        attempt++;
      }
    }
  }

  async #once(input: JsonObject): Promise<JsonObject> {
    const reach = await this.#reach();
    if (!this.#asks.asksLater) return this.#rounds(this.#peer(reach), input);
    const held = this.#heldCall(reach, input);
    const settled = await held.settled();
    if ("result" in settled) return settled.result;
    throw new InputNeeded(settled.questions, { worker: this.#worker.id, held: this.#parts.held.keep(held) });
  }

  /** The call that a run before has begun, with the answers to its questions; or a new one that can wait for answers. */
  #heldCall(reach: Reach, input: JsonObject): HeldCall {
    const id = this.#asks.heldCall;
    const held = id === undefined ? new HeldCall(reach.session) : this.#parts.held.take(id, reach.session);
    if (held === undefined) throw this.#isGone();
    const { notified } = this.#own.guarded(relaying(this.#context, this.#asks));
    held.attach({
      send: reach.send,
      signal: this.#context.signal,
      ...(notified === undefined ? {} : { notified }),
    });
    if (id === undefined) held.begin(this.#rounds(this.#peer(reach, held.options), input));
    else held.answer(this.#context.caller?.answers ?? {});
    return held;
  }

  #isGone(): ToolError {
    const error = networkTimeout("The answer came too late: the server does not wait for it any more.");
    return mayRepeat(this.#worker, this.#tool) ? error : outcomeUnknown(error);
  }

  async #rounds(peer: McpPeer, input: JsonObject): Promise<JsonObject> {
    const { method, params } = requestOf(this.#tool, input);
    let members = this.#asks.members();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const request = peer.request(method, { ...params, ...members }, this.#schema);
      const result = await this.#own.withoutThem(request);
      const answered = await this.#asks.answered(result);
      if (answered === undefined) return result;
      members = answered;
    }
    throw new ProtocolError("The server asks more and more questions.");
  }

  async #reach(): Promise<Reach> {
    const { call, grant, caller } = this.#context;
    const isHttp = this.#worker.stdio === undefined;
    // Those of the record win.
    const own = isHttp ? await headersOf(this.#worker, userOf(this.#context)) : {};
    const headers = isHttp ? { ...passedOn(caller), ...own } : {};
    const liveCapabilities = this.#asks.liveCapabilities();
    const session = sessionKey(this.#worker, headers, {
      userId: this.#worker.stdio?.shared === true ? "" : call.userId,
      connectionId: grant?.connectionId ?? "",
      actor: call.actor,
      rest: [JSON.stringify(liveCapabilities), await secretAddressOf(this.#worker)],
    });
    const send = callSend(this.#parts, this.#worker, this.#context, { headers, own: this.#own });
    return { session, send, liveCapabilities };
  }

  /** The server gets only credentials of the worker's record. */
  get #isOwn(): boolean {
    const { userKeys, stdio } = this.#worker;
    return this.#context.grant === undefined && userKeys.length === 0 && stdio === undefined;
  }

  #peer({ session, send, liveCapabilities }: Reach, of: Partial<PeerOptions> = {}): McpPeer {
    const { call, caller, signal } = this.#context;
    return this.#parts.client.peer({
      server: serverKey(this.#worker),
      session,
      send,
      // Without the user nothing may be sent in that user's name.
      ends: this.#isOwn ? ownSend(this.#parts, this.#worker, { on: call }) : undefined,
      capabilities: this.#asks.capabilities(),
      liveCapabilities,
      timeoutMs: this.#timeLeft(),
      signal,
      meta: () => traceMeta(this.#parts, this.#worker),
      wantsProgress: caller !== undefined,
      ...this.#own.guarded(relaying(this.#context, this.#asks)),
      ...of,
    });
  }

  /** The time of the worker's record, as far as the run has it. In steps: alarms are efficient for few durations. */
  #timeLeft(): number {
    const left = this.#context.deadline - this.#context.now() - RESERVE_MS;
    if (left <= 0) throw networkTimeout("The time of the run was over before the server was asked.");
    return left >= this.#worker.timeoutMs
      ? this.#worker.timeoutMs
      : Math.max(100, Math.floor(left / 100) * 100);
  }

  /** Reads the schema that the server has now. False if it does not list the tool. */
  async #learn(): Promise<boolean> {
    if (this.#tool.reserved !== undefined) return false;
    const { items } = await listAll(this.#peer(await this.#reach()), "tools/list");
    const item = items.find((one) => isObject(one) && one["name"] === this.#tool.upstream);
    if (!isObject(item)) return false;
    this.#schema = item["inputSchema"];
    return true;
  }

  /** False if there is no time left for a repeat. */
  async #waited(attempt: number): Promise<boolean> {
    const ms = FIRST_WAIT_MS * 2 ** attempt;
    if (this.#context.now() + ms + RESERVE_MS >= this.#context.deadline) return false;
    await this.#context.sleep(ms);
    return !this.#context.signal.aborted;
  }
}

function userOf({ call, userKeys }: ToolContext): WorkerUser {
  return { id: call.userId, keys: userKeys };
}

/** Headers of the client that its gateway passes on. They may be secrets. */
function passedOn(caller: ToolContext["caller"]): WorkerHeaders {
  const headers = Object.entries(caller?.headers ?? {});
  return Object.fromEntries(headers.map(([name, value]) => [name, new Redacted(value)]));
}

function isMismatch(thrown: unknown): boolean {
  return thrown instanceof ServerError && thrown.code === HEADER_MISMATCH;
}

function requestOf(tool: WorkerTool, input: JsonObject): { method: string; params: JsonObject } {
  if (tool.reserved !== undefined) return { method: tool.upstream, params: input };
  return { method: "tools/call", params: { name: tool.upstream, arguments: input } };
}
