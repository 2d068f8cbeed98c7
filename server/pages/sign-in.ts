// Where people sign in and out. Everything that needs a person sends the browser to `/sign-in?project=ID&to=PATH`.
import { Redacted } from "../../src/base";
import { newToken } from "../../src/crypto";
import { RuntimeError } from "../../src/errors";
import { returnPath, signInFault, signInPath, type SignInOutcome, type SigningIn } from "../../src/people";
import { readForm } from "../body";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { browserCookie, readBrowser, readSession, sessionCookie } from "./cookie";
import { escape, htmlPage, shown } from "./html";
import { proxiedPerson } from "./proxied";
import { checkForm, signedIn } from "./signed-in";

const MAX_FORM_BYTES = 10_000;
const MAX_PROJECT_ID = 100;

/** GET /sign-in */
export async function openSignIn(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  const { core, people, signIn } = runtime;
  const early = earlyAnswer(incoming.request);
  if (early !== undefined) return early;
  const { searchParams: query } = requestUrl(incoming.request);
  const projectId = projectIn(query.get("project"));
  const to = returnPath(query.get("to"), projectId);
  const method = await people.methodOf(projectId);
  if (method === "none") return noSignIn();
  const fault = signInFault(method, core.settings, core.publicUrl());
  if (fault !== undefined) return unworkable(front, projectId, fault);
  try {
    if ((await signedIn(front, incoming, projectId)) !== undefined) return sendTo(core.publicUrl() + to);
    if (method === "oidc") {
      const browser = readBrowser(incoming.request, core.publicUrl()) ?? newToken(core.random);
      const outcome = await signIn.start(projectId, to, browser, query.has("again"));
      return answer(front, incoming, outcome, [browserCookie(browser, core.publicUrl())]);
    }
    if (method === "passkey")
      return sendTo(`${core.publicUrl()}/sign-in/passkey?${new URLSearchParams({ project: projectId, to })}`);
    const named = proxiedPerson(front, incoming);
    if (named === undefined) return unnamed(core.settings["http.user_header"]);
    return answer(front, incoming, await signIn.byProxy(projectId, to, named, from(front, incoming)));
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status >= 500) throw error;
    return htmlPage(error.status, "You cannot sign in", `<p>${shown(error.message)}</p>`);
  }
}

/** GET /sign-in/callback, and /api/v1/auth/callback for consents: the browser comes back from the OpenID provider. */
export async function signInCallback(front: Front, incoming: Incoming): Promise<Response> {
  const early = earlyAnswer(incoming.request);
  if (early !== undefined) return early;
  const { search, searchParams } = requestUrl(incoming.request);
  const { core, signIn } = front.runtime;
  core.log.debug("sign-in callback", { query: new Redacted(search) });
  return answer(front, incoming, await signIn.callback(searchParams, from(front, incoming)));
}

/** POST /sign-out. `again` in the form: to sign in as somebody else. */
export async function signOut(front: Front, incoming: Incoming): Promise<Response> {
  const { core, sessions } = front.runtime;
  const publicUrl = core.publicUrl();
  const form = await readForm(incoming.request, core.settings, MAX_FORM_BYTES);
  const projectId = projectIn(form.get("project"));
  const person = await signedIn(front, incoming, projectId);
  if (person !== undefined) {
    checkForm(front, incoming, person, form);
    await sessions.end(projectId, person.userId, person.sessionId);
  }
  const to = returnPath(form.get("to"), projectId);
  const page = form.has("again")
    ? // Browsers apply `form-action` of our policy to redirects after a form. A refresh is a new navigation.
      htmlPage(200, "One moment", "<p>Taking you to the sign-in.</p>", {
        refresh: `0; url=${publicUrl}${signInPath(projectId, to, true)}`,
      })
    : htmlPage(
        200,
        "You are signed out",
        `<p><a href="${escape(publicUrl + signInPath(projectId, to))}">Sign in again</a></p>`,
      );
  page.headers.append("set-cookie", sessionCookie("", projectId, publicUrl, 0));
  return page;
}

/** Unknown states count as bad credentials, as those of consents do. */
function answer(
  { runtime, badCredentials }: Front,
  { address }: Incoming,
  outcome: SignInOutcome,
  cookies: readonly string[] = [],
): Response {
  const { core } = runtime;
  const publicUrl = core.publicUrl();
  switch (outcome.kind) {
    case "redirect":
      return sendTo(outcome.location, cookies);
    case "signed_in": {
      const lifetime = core.settings["sessions.lifetime"];
      return sendTo(publicUrl + outcome.to, [
        sessionCookie(outcome.cookie, outcome.projectId, publicUrl, lifetime),
      ]);
    }
    case "unknown_state":
      badCredentials.count(address);
      core.log.refused("sign-in", { error: "unknown_state", address });
      return htmlPage(
        400,
        "You are not signed in",
        "<p>This sign-in was started in another browser, is too old, or was used already; or this browser refuses cookies. " +
          "Go back to the page that you wanted, and sign in again.</p>",
      );
    case "failed": {
      core.log.refused("sign-in", { error: "sign_in_failed", reason: outcome.reason, address });
      const { again } = outcome;
      const link =
        again === undefined
          ? ""
          : `<p><a href="${escape(publicUrl + signInPath(again.projectId, again.to, true))}">Try again</a></p>`;
      return htmlPage(outcome.status, "You are not signed in", `<p>${shown(outcome.reason)}</p>${link}`);
    }
  }
}

function from({ runtime }: Front, { request, address }: Incoming): SigningIn {
  const publicUrl = runtime.core.publicUrl();
  return {
    browser: readBrowser(request, publicUrl),
    former: (projectId) => readSession(request, projectId, publicUrl),
    userAgent: request.headers.get("user-agent") ?? undefined,
    address,
  };
}

function sendTo(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

function projectIn(text: string | null): string {
  return text === null || text === "" ? "default" : text.slice(0, MAX_PROJECT_ID);
}

/** Programs fetch pages before people open them. That must neither start a sign-in nor use one up. */
function earlyAnswer({ method, headers }: Request): Response | undefined {
  if (method === "HEAD") return htmlPage(200, "Sign in", "");
  const purposes = [headers.get("sec-purpose"), headers.get("purpose"), headers.get("x-moz")];
  if (!purposes.some((purpose) => purpose?.toLowerCase().includes("prefetch") === true)) return undefined;
  return new Response(null, { status: 503, headers: { "cache-control": "no-store" } });
}

/** The page for a project in which people do not sign in, and for one that does not exist. */
export function noSignIn(): Response {
  return htmlPage(
    404,
    "People do not sign in here",
    "<p>This server has no sign-in for people. An administrator can set one up: <code>sign_in</code> in its configuration.</p>",
  );
}

function unworkable({ runtime }: Front, projectId: string, fault: string): Response {
  runtime.core.log.warn("people cannot sign in", { project: projectId, fault });
  return htmlPage(503, "You cannot sign in at the moment", `<p>${shown(fault)}</p>`);
}

function unnamed(header: string): Response {
  return htmlPage(
    401,
    "You are not signed in",
    `<p>The proxy in front of this server did not say who you are (<code>${escape(header)}</code>). Sign in there first.</p>`,
  );
}
