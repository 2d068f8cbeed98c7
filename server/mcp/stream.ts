// The stream of a session (GET, revisions until 2025-11-25): tells its client when a list of the gateway has changed.
import { unavailable } from "../../src/errors";
import { errorReply, MODERN, RpcError } from "../../src/mcp";
import { accepts, prefersPage } from "../accept";
import { Departure } from "../departure";
import type { Front, Incoming } from "../front";
import { Revocation } from "../revocation";
import { holdStream } from "../running";
import { admitted, whileAdmitted } from "./admission";
import { EventStream, longestSilenceMs } from "./events";
import { checkOrigin } from "./origin";
import { replyResponse } from "./reply";

/**
 * The stream, a page for a browser, or 405 for any other GET: before a session has begun there is none. Throws `rate_limited`,
 * and what admission throws.
 */
export async function mcpStream(front: Front, incoming: Incoming): Promise<Response> {
  const { request } = incoming;
  checkOrigin(front.runtime.core, request.headers);
  const page = asksForPage(request) ? await pageOf(front, incoming) : undefined;
  if (page !== undefined) return page;
  if (!asksForStream(request))
    return new Response(null, { status: 405, headers: { allow: "OPTIONS, POST", vary: "accept" } });
  const user = await admitted(front, incoming);
  const { runtime, stopping, keepOpen } = front;
  const held = holdStream(runtime.limits, user.principal);
  const counted = runtime.core.work.hold("mcp_streams");
  const stop = new Departure(request);
  const revocation = new Revocation(runtime, user.principal);
  revocation.addEventListener("abort", () => stop.abort());
  const admission = whileAdmitted(front, user, request, () => stop.abort());
  const answer = Promise.withResolvers<Response>();
  let stream: EventStream | undefined;
  const over = runtime.mcp.subscriptions.stream({
    user,
    sessionId: request.headers.get("mcp-session-id") ?? undefined,
    since: request.headers.get("last-event-id") ?? undefined,
    stop,
    stopping,
    begun: (position) => {
      stream = new EventStream(longestSilenceMs(runtime.core.settings), () => stop.abort());
      keepOpen(request);
      if (position === undefined) stream.comment();
      else stream.begin(position);
      answer.resolve(stream.response());
    },
    notify: (text, position) => stream?.news(text, position),
  });
  void over.then(answer.reject, answer.reject).finally(() => {
    stream?.close();
    for (const each of [held, counted, stop, revocation, admission]) each[Symbol.dispose]();
  });
  return answer.promise.catch((reason: unknown) => {
    if (reason instanceof RpcError) return replyResponse(errorReply(undefined, reason));
    throw reason ?? unavailable("The stream ended before it began. Try again.");
  });
}

/** A browser; it has no session of MCP. */
function asksForPage(request: Request): boolean {
  const { headers, method } = request;
  const isClient = headers.has("mcp-session-id") || headers.has("mcp-protocol-version");
  return method === "GET" && !isClient && prefersPage(request);
}

function asksForStream(request: Request): boolean {
  const { headers, method } = request;
  if (method !== "GET" || headers.get("mcp-protocol-version") === MODERN) return false;
  return headers.has("mcp-session-id") && accepts(request, "text/event-stream");
}

/** Loaded with the first browser that asks: most callers are clients. */
async function pageOf(front: Front, incoming: Incoming): Promise<Response | undefined> {
  const { gatewayPage } = await import("../pages/gateway-page");
  return gatewayPage(front, incoming);
}
