// The MCP endpoint of a gateway (Streamable HTTP). Checks origin, gateway, credential and body, then handles the message.
// The reply is JSON, or a stream of events when notifications precede it or it takes long.
import type { Json } from "../../src/base";
import { isObject, LazyAbort, setAlarm } from "../../src/base";
import { RuntimeError } from "../../src/errors";
import { errorReply, type GatewayUser, PARSE_ERROR, type Peer, RpcError, runsTool } from "../../src/mcp";
import { accepts } from "../accept";
import { bodyLimits, readJsonBody } from "../body";
import { Departure } from "../departure";
import type { Front, Incoming } from "../front";
import { Revocation, revoked } from "../revocation";
import { holdCall, holdStream } from "../running";
import { admitted, whileAdmitted } from "./admission";
import { EventStream, LONGEST_SILENCE_MS, longestSilenceMs } from "./events";
import { replyResponse } from "./reply";

/** For messages that are answered at once. */
const NEVER = new LazyAbort();

export async function mcpEndpoint(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime, stopping } = front;
  const { request } = incoming;
  const user = await admitted(front, incoming);
  let value: Json;
  let text: string;
  try {
    ({ value, text } = await readJsonBody(request, bodyLimits(runtime.core.settings)));
  } catch (error) {
    return unreadable(error);
  }
  // The body may have been on its way for long.
  await runtime.identity.requireCurrent(user.principal);
  const method = isObject(value) ? value["method"] : undefined;
  const isCall = runsTool(method);
  if (isCall || method === "subscriptions/listen")
    return answerSlowly(front, { value, text, isCall }, user, request);
  const reply = await runtime.mcp.answer(value, text, peerOf(user, request, NEVER, stopping, undefined));
  if (reply.text === undefined || accepts(request, "application/json")) return replyResponse(reply);
  const stream = new EventStream(LONGEST_SILENCE_MS, () => undefined);
  stream.message(reply.text);
  stream.close();
  return stream.response(reply);
}

interface SlowMessage {
  value: Json;
  text: string;
  /** Runs a tool; otherwise it listens. */
  isCall: boolean;
}

/**
 * Runs a tool, or listens. Throws `rate_limited`. The answer is the reply, or a stream when something precedes the reply, it
 * takes long, or the client takes nothing else.
 */
function answerSlowly(
  front: Front,
  { value, text, isCall }: SlowMessage,
  user: GatewayUser,
  request: Request,
): Promise<Response> {
  const { runtime, stopping, keepOpen } = front;
  const held = (isCall ? holdCall : holdStream)(runtime.limits, user.principal);
  const stop = new Departure(request);
  const admission = isCall ? undefined : whileAdmitted(front, user, request, () => stop.abort());
  const revocation = new Revocation(runtime, user.principal);
  revocation.addEventListener("abort", () => stop.abort());
  const silenceMs = longestSilenceMs(runtime.core.settings);
  // A function, because most calls are answered before anything precedes the reply.
  const streams = (): boolean => accepts(request, "text/event-stream");
  return new Promise((resolve, reject) => {
    let stream: EventStream | undefined;
    let counted: Disposable | undefined;
    const events = (): EventStream => {
      if (stream === undefined) {
        stream = new EventStream(silenceMs, () => stop.abort());
        counted = runtime.core.work.hold("mcp_streams");
        keepOpen(request);
        resolve(stream.response());
      }
      return stream;
    };
    const silent = (): void => {
      if (streams()) events().comment();
      else keepOpen(request);
    };
    const alarm = setAlarm(silenceMs, silent);
    const notify = (message: string): void => {
      if (stream === undefined && !streams()) return;
      if (isCall) events().message(message);
      else events().news(message);
    };
    const canNotify = isCall || streams();
    const peer = peerOf(user, request, stop, stopping, canNotify ? notify : undefined);
    // `answer` never rejects.
    void runtime.mcp.answer(value, text, peer).then((reply) => {
      alarm.cancel();
      stop[Symbol.dispose]();
      held[Symbol.dispose]();
      revocation[Symbol.dispose]();
      admission?.[Symbol.dispose]();
      counted?.[Symbol.dispose]();
      // A stream just ends, because its status has been sent.
      if (revocation.aborted) return stream === undefined ? reject(revoked()) : stream.close();
      if (stream === undefined && (reply.text === undefined || accepts(request, "application/json")))
        return resolve(replyResponse(reply));
      stream = events();
      if (reply.text !== undefined) stream.message(reply.text);
      stream.close();
    });
  });
}

function peerOf(
  user: GatewayUser,
  { headers }: Request,
  stop: LazyAbort,
  stopping: AbortSignal,
  notify: Peer["notify"],
): Peer {
  const sessionId = headers.get("mcp-session-id") ?? undefined;
  return { user, sessionId, header: (name) => headers.get(name), stop, stopping, notify };
}

/** A body that is not JSON is a parse error of JSON-RPC. Other refusals are the same as at every address. */
function unreadable(error: unknown): Response {
  if (!(error instanceof RuntimeError) || error.status !== 400) throw error;
  return replyResponse(errorReply(undefined, new RpcError(PARSE_ERROR, error.message, { status: 400 })));
}
