// The addresses of the authorization server: a request becomes a call of the library without a socket, with the headers that
// its endpoints read and no others.
import { isObject } from "../../src/base";
import { malformedRequest } from "../../src/errors";
import type { CallAnswer } from "../../src/people";
import { bodyLimits, readText } from "../body";
import type { Front, Incoming } from "../front";
import { shown, htmlPage } from "../pages/html";
import { requestUrl } from "../request-url";
import { authorizationCookie, hasAuthorizationCookie } from "./cookies";
import { requireServed } from "./served";

const MAX_BODY = 50_000;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const PASSED = ["accept", "authorization", "content-type", "user-agent"];

/** An endpoint that clients call. */
export async function clientEndpoint(front: Front, incoming: Incoming): Promise<Response> {
  await requireServed(front);
  const { request } = incoming;
  if (!FORM.test(request.headers.get("content-type") ?? ""))
    throw malformedRequest(
      "Send the parameters as application/x-www-form-urlencoded (RFC 6749, appendix B).",
    );
  const limits = { ...bodyLimits(front.runtime.core.settings), maxBytes: MAX_BODY };
  const body = await readText(request, limits);
  return responseOf(await called(front, incoming, { body }));
}

/** GET /oauth/authorize: a browser comes from a client. */
export async function authorize(front: Front, incoming: Incoming): Promise<Response> {
  await requireServed(front);
  // Programs fetch links before people open them.
  if (incoming.request.method === "HEAD") return htmlPage(200, "Sign in", "");
  const answer = await called(front, incoming, {});
  const response = answer.isErrorPage ? errorPage(answer) : responseOf(answer);
  const { interaction } = answer;
  if (interaction !== undefined)
    response.headers.append("set-cookie", authorizationCookie(interaction, front.runtime.core.publicUrl()));
  return response;
}

/** GET /oauth/authorize/{uid}: the person has answered, and the browser goes back to the client. */
export async function resume(front: Front, incoming: Incoming): Promise<Response> {
  await requireServed(front);
  if (incoming.request.method === "HEAD") return htmlPage(200, "Sign in", "");
  const uid = incoming.params["uid"] ?? "";
  const publicUrl = front.runtime.core.publicUrl();
  if (!hasAuthorizationCookie(incoming.request, uid, publicUrl)) return staleBrowser();
  const answer = await called(front, incoming, { resume: uid });
  const response = answer.isErrorPage ? errorPage(answer) : responseOf(answer);
  response.headers.append("set-cookie", authorizationCookie(uid, publicUrl, true));
  return response;
}

export function staleBrowser(): Response {
  return htmlPage(
    400,
    "This did not work",
    "<p>The sign-in was started in another browser, is too old, or was answered already; or this browser refuses cookies. " +
      "Start again in the program that sent you here.</p>",
  );
}

function called(
  { runtime }: Front,
  { request, address }: Incoming,
  { body, resume: uid }: { body?: string; resume?: string },
): Promise<CallAnswer> {
  const { pathname, search } = requestUrl(request);
  const headers: Record<string, string> = {};
  for (const name of PASSED) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return runtime.authorizationServer.answer({
    method: body === undefined ? "GET" : "POST",
    path: pathname,
    search,
    headers,
    body,
    address,
    resume: uid,
  });
}

function responseOf({ status, headers, body }: CallAnswer): Response {
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "no-referrer");
  headers.set("x-content-type-options", "nosniff");
  // Answers of the library to browsers are redirects, whose text is not needed.
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect) headers.delete("content-type");
  return new Response(isRedirect || body.byteLength === 0 ? null : body, { status, headers });
}

function errorPage({ status, body }: CallAnswer): Response {
  const out: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
  const { error, error_description: description } = isObject(out) ? out : {};
  const reason = status >= 500 ? "" : String(description ?? "");
  return htmlPage(
    status,
    "This did not work",
    `<p>The program that sent you here made a request that this server does not accept. Tell its maker:</p>` +
      `<p class="problem"><code>${shown(String(error))}</code> ${shown(reason)}</p>`,
  );
}
