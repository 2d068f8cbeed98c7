// The MCP endpoint of a gateway: Streamable HTTP. Origin, gateway, credential, body, then the message; the reply goes
// back as JSON, or as a stream of events when something comes ahead of it or it takes long.
import type { Json } from "../../src/base";
import { isObject, LazyAbort, setAlarm } from "../../src/base";
import { notFound, RuntimeError } from "../../src/errors";
import { errorReply, type GatewayUser, PARSE_ERROR, type Peer, type Reply, RpcError } from "../../src/mcp";
import type { Runtime } from "../../src/runtime";
import { errorAnswer, identified, textAnswer } from "../answer";
import { bodyLimits, readJsonBody } from "../body";
import type { Answer, Context, Means } from "../route";
import { Departure } from "../departure";
import { EventStream } from "./events";
import { checkOrigin } from "./origin";

/** Below Bun's idle limit: a call that outlasts it is seen in time. */
const LONGEST_SILENCE_MS = 60_000;

/** What is over at once is never stopped. */
const NEVER = new LazyAbort();

export function mcpEndpoint({ rateLimit, stopping }: Means): Answer {
  return async (runtime, context, requestId) => {
    const { request, params } = context;
    checkOrigin(runtime.core, request.headers);
    const gateway = await runtime.gateways.serving(params["slug"] ?? "");
    if (gateway === undefined) throw notFound("There is no gateway at this address.");
    const user = await runtime.mcp.access.admit(gateway, request.headers);
    rateLimit?.take(user.principal);
    let value: Json;
    try {
      value = await readJsonBody(request, bodyLimits(runtime.core.settings));
    } catch (error) {
      return unreadable(error, requestId);
    }
    const slow = isObject(value) && value["method"] === "tools/call";
    return slow
      ? answerCall(runtime, value, user, context, stopping, requestId)
      : replyResponse(
          await runtime.mcp.answer(value, peerOf(user, request, NEVER, stopping, undefined)),
          requestId,
        );
  };
}

/** Where nothing is to be had: `Allow` says how else (RFC 9110, section 15.5.6). */
export const notAllowed: Answer = (runtime, { request }) => {
  checkOrigin(runtime.core, request.headers);
  return new Response(null, { status: 405, headers: { allow: "POST" } });
};

/** The reply as JSON, or the stream on which it will come when something goes ahead of it or it takes long. */
function answerCall(
  runtime: Runtime,
  value: Json,
  user: GatewayUser,
  { request, server }: Context,
  stopping: AbortSignal,
  requestId: string,
): Promise<Response> {
  const stop = new Departure(request);
  const silenceMs = Math.min(runtime.core.settings["mcp.keep_alive"] * 1000, LONGEST_SILENCE_MS);
  // Asked for late: most calls are answered before anything could go ahead.
  const streams = (): boolean => request.headers.get("accept")?.includes("text/event-stream") === true;
  return new Promise((resolve) => {
    let stream: EventStream | undefined;
    const events = (): EventStream => {
      if (stream === undefined) {
        stream = new EventStream(silenceMs, () => stop.abort());
        server?.timeout(request, 0);
        resolve(identified(stream.response(), requestId));
      }
      return stream;
    };
    const silent = (): void => {
      if (streams()) events().comment();
      // Without a stream the connection is only kept from being cut here.
      else server?.timeout(request, 0);
    };
    const alarm = setAlarm(silenceMs, silent);
    const notify = (text: string): void => {
      if (stream !== undefined || streams()) events().message(text);
    };
    // `answer` never rejects.
    void runtime.mcp.answer(value, peerOf(user, request, stop, stopping, notify)).then((reply) => {
      alarm.cancel();
      stop[Symbol.dispose]();
      if (stream === undefined) return resolve(replyResponse(reply, requestId));
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

function replyResponse({ status, text, sessionId }: Reply, requestId: string): Response {
  if (text === undefined) return identified(new Response(null, { status }), requestId);
  const response = textAnswer(status, text, requestId);
  if (sessionId !== undefined) response.headers.set("mcp-session-id", sessionId);
  return response;
}

/** What is no JSON is a parse error of JSON-RPC; other refusals of bodies are those of every address. */
function unreadable(error: unknown, requestId: string): Response {
  if (!(error instanceof RuntimeError) || error.status !== 400)
    return identified(errorAnswer(error), requestId);
  return replyResponse(
    errorReply(undefined, new RpcError(PARSE_ERROR, error.message, { status: 400 })),
    requestId,
  );
}
