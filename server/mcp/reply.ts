// A reply to a message as a response with JSON.
import { JsonText } from "../../src/base";
import type { Reply } from "../../src/mcp";
import { jsonAnswer, setRetryAfter } from "../answer";

export function replyResponse({ status, text, sessionId, retryAfterMs }: Reply): Response {
  if (text === undefined) return new Response(null, { status });
  const response = jsonAnswer(status, new JsonText(text));
  if (sessionId !== undefined) response.headers.set("mcp-session-id", sessionId);
  if (retryAfterMs !== undefined) setRetryAfter(response.headers, retryAfterMs);
  return response;
}
