// The language model of the sandbox, behind the protocol of chat completions.
import { faultOf } from "./chat-rules";
import { answerOf, MODEL, type ModelRequest } from "./model";
import { streamedAnswer, wholeAnswer } from "./wire";

export { MODEL } from "./model";

/** Answers `POST /chat/completions` and `GET /models`; `path` is the part behind the base address. */
export async function answerModel(request: Request, path: string): Promise<Response> {
  if (path === "/models" && request.method === "GET") {
    const model = { id: MODEL, object: "model", created: 1_700_000_000, owned_by: "sandbox" };
    return Response.json({ object: "list", data: [model] });
  }
  if (path !== "/chat/completions") return refusal(404, `Unknown request URL: ${request.method} ${path}.`);
  if (request.method !== "POST") return refusal(405, "Only POST is allowed.");
  const body: unknown = await request.json().catch(() => undefined);
  const fault = faultOf(body);
  if (fault !== undefined) return refusal(400, fault);
  // Checked above.
  const asked = body as ModelRequest;
  const said = answerOf(asked);
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
  const created = Math.floor(Date.now() / 1000);
  if (asked.stream !== true) return Response.json(wholeAnswer(asked, said, id, created));
  const events = [...streamedAnswer(asked, said, id, created)].join("");
  return new Response(events, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

function refusal(status: number, message: string): Response {
  const error = { message, type: "invalid_request_error", param: null, code: null };
  return Response.json({ error }, { status });
}
