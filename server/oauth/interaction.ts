// A person answers what a client asks for. Who answers is the person who is signed in with this browser, and the browser must be
// the one that began the authorization: else a link could make a person allow what another browser gets.
import { readForm } from "../body";
import type { Answering, AuthorizationRequest, SignedIn } from "../../src/people";
import { PATHS, signInPath } from "../../src/people";
import { ownerOf } from "../../src/person-overview";
import type { Front, Incoming } from "../front";
import { escape, htmlPage, shown } from "../pages/html";
import { checkForm, signedIn } from "../pages/signed-in";
import { consentPage } from "./consent-page";
import { hasAuthorizationCookie } from "./cookies";
import { staleBrowser } from "./endpoints";
import { requireServed } from "./served";

const MAX_FORM_BYTES = 10_000;

/** GET /oauth/interaction/{uid} */
export async function openInteraction(front: Front, incoming: Incoming): Promise<Response> {
  if (incoming.request.method === "HEAD") return htmlPage(200, "Sign in", "");
  const request = await requestOf(front, incoming);
  if (request === undefined) return staleBrowser();
  const here = `${PATHS.interaction}/${request.id}`;
  const person = await signedIn(front, incoming, request.resource.projectId);
  if (person === undefined) return toSignIn(front, request, here);
  const server = front.runtime.authorizationServer;
  const refusal = await server.refusal(request, person);
  if (refusal !== undefined) return refused(front, request, refusal);
  if (await server.isAllowed(request, person)) return allowed(front, incoming, request, person);
  return consentPage({ request, person, action: here, here });
}

/** POST /oauth/interaction/{uid} */
export async function answerInteraction(front: Front, incoming: Incoming): Promise<Response> {
  const request = await requestOf(front, incoming);
  if (request === undefined) return staleBrowser();
  const form = await formOf(front, incoming);
  const person = await signedIn(front, incoming, request.resource.projectId);
  if (person === undefined) return toSignIn(front, request, `${PATHS.interaction}/${request.id}`);
  checkForm(front, incoming, person, form);
  const server = front.runtime.authorizationServer;
  if (form.get("answer") !== "yes")
    return goOn(front, await server.deny(request, "The user did not allow it."));
  const refusal = await server.refusal(request, person);
  if (refusal !== undefined) return refused(front, request, refusal);
  return allowed(front, incoming, request, person);
}

async function requestOf(
  front: Front,
  { request, params }: Incoming,
): Promise<AuthorizationRequest | undefined> {
  await requireServed(front);
  const { authorizationServer, core } = front.runtime;
  const uid = params["uid"] ?? "";
  if (!hasAuthorizationCookie(request, uid, core.publicUrl())) return undefined;
  return authorizationServer.request(uid);
}

async function allowed(
  front: Front,
  incoming: Incoming,
  request: AuthorizationRequest,
  person: SignedIn,
): Promise<Response> {
  return goOn(front, await front.runtime.authorizationServer.allow(request, answeringOf(person, incoming)));
}

/** The person who answers. What is allowed counts with the method of the session, even if that has just been changed. */
export function answeringOf(person: SignedIn, { address }: Incoming): Answering {
  return { ...ownerOf({ ...person, address }), method: person.method };
}

/** The client is told, and shows it or not: the person sees the reason here too. */
async function refused(front: Front, request: AuthorizationRequest, reason: string): Promise<Response> {
  front.runtime.core.log.refused("authorization", {
    error: "access_denied",
    client_id: request.client.id,
    reason,
  });
  const next = await front.runtime.authorizationServer.deny(request, reason);
  const link = next === undefined ? "" : `<p><a href="${escape(next)}">Go back to the program</a></p>`;
  return htmlPage(403, "You may not use this", `<p>${shown(reason)}</p>${link}`);
}

export async function formOf({ runtime }: Front, { request }: Incoming): Promise<URLSearchParams> {
  return readForm(request, runtime.core.settings, MAX_FORM_BYTES);
}

export function toSignIn({ runtime }: Front, { resource }: AuthorizationRequest, to: string): Response {
  const location = runtime.core.publicUrl() + signInPath(resource.projectId, to);
  const headers = { location, "cache-control": "no-store" };
  return new Response(null, { status: 303, headers: { ...headers, "referrer-policy": "no-referrer" } });
}

// Browsers apply `form-action` of our policy to redirects after a form, and the client's address is not ours. A refresh is a new
// navigation.
function goOn({ runtime }: Front, next: string | undefined): Response {
  if (next === undefined) return staleBrowser();
  const body = `<p>Taking you back to the program. <a href="${escape(next)}">Go on</a></p>`;
  runtime.core.log.debug("authorization answered", {});
  return htmlPage(200, "One moment", body, { refresh: `0; url=${next}` });
}
