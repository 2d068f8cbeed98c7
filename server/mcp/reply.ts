// A reply to a message as a response with JSON.
import { JsonText } from "../../src/base";
import type { Reply } from "../../src/mcp";
import { jsonAnswer } from "../answer";

export function replyResponse({ status, text, sessionId }: Reply): Response {
  if (text === undefined) return new Response(null, { status });
  const response = jsonAnswer(status, new JsonText(text));
  if (sessionId !== undefined) response.headers.set("mcp-session-id", sessionId);
  return response;
}
