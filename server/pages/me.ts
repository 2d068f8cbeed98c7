// The page of a signed-in person: what acts for the person, and forms that end it. Who the person is comes from the browser's
// session alone, and every look-up and every action has its project and its user.
import { RuntimeError } from "../../src/errors";
import { DEFAULT_ID } from "../../src/identity";
import { type SignedIn, signInPath } from "../../src/people";
import { LISTS, ownerOf, type Person } from "../../src/person-overview";
import { readForm } from "../body";
import type { Runtime } from "../../src/runtime";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { htmlPage, redirect, shown } from "./html";
import { ACTIONS } from "./me-actions";
import { type Act, buttonForm, type Forms, noticeOf, personalPage } from "./me-forms";
import {
  clientsSection,
  connectionsSection,
  passkeysSection,
  runsSection,
  scheduledSection,
  sessionsSection,
} from "./me-sections";
import { noSignIn } from "./sign-in";
import { localPath } from "./sign-in-address";
import { checkForm, signedIn } from "./signed-in";

/** A form has an id, a token and a few words. */
const MAX_FORM_BYTES = 8_000;

/** GET /me and /me/{project} */
export async function openMe(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  const query = requestUrl(incoming.request).searchParams;
  const visit = await visitOf(front, incoming);
  if (visit instanceof Response) return visit;
  const { person, forms, projectId } = visit;
  const whole = LISTS.find((list) => list === query.get("all"));
  const before = idIn(query.get("before"));
  const [overview, name] = await Promise.all([
    runtime.overview.read(personOf(person, incoming), { whole, before }),
    runtime.identity.projects.nameOf(projectId),
  ]);
  const passkeys =
    (await runtime.people.methodOf(projectId)) === "passkey"
      ? passkeysSection(await runtime.overview.passkeys(personOf(person, incoming)), forms, {
          add: localPath(runtime, `/sign-in/passkey/new?${new URLSearchParams({ project: projectId })}`),
        })
      : "";
  const role = incoming.principal?.kind === "user" ? (incoming.principal.role ?? "member") : "member";
  const body =
    noticeOf(query.get("done")) +
    `<div class="who"><p>You are <b>${shown(person.userId)}</b> (${role}) in the project <b>${shown(name ?? projectId)}</b>.</p>` +
    `${signOutForm(runtime, person)}</div>` +
    connectionsSection(overview, forms) +
    clientsSection(overview, forms) +
    sessionsSection(overview, forms) +
    passkeys +
    scheduledSection(overview, forms) +
    runsSection(overview, forms, before === undefined);
  return personalPage(200, "What acts for you", body);
}

/** POST /me and /me/{project}: a form of the page. */
export async function actAtMe(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  // First: the session may end while the body is on its way.
  const form = await readForm(incoming.request, runtime.core.settings, MAX_FORM_BYTES);
  const visit = await visitOf(front, incoming);
  if (visit instanceof Response) return visit;
  const { person, forms } = visit;
  try {
    checkForm(front, incoming, person, form);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status !== 403) throw error;
    runtime.core.log.refused("me", { error: error.name, reason: error.message, address: incoming.address });
    return htmlPage(403, "This did not work", `<p>${shown(error.message)}</p>`);
  }
  const name = form.get("action") ?? "";
  const act: Act | undefined = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (act === undefined)
    return htmlPage(400, "This did not work", "<p>The form has no known action. Load the page again.</p>");
  const outcome = await act({ front, person: personOf(person, incoming), forms, form });
  if (outcome instanceof Response) return outcome;
  return redirect(`${forms.action}?done=${outcome}`, undefined, runtime.core.publicUrl());
}

/** A visit of a signed-in person, or the answer to anybody else. Throws `rate_limited`. */
async function visitOf(
  front: Front,
  incoming: Incoming,
): Promise<{ person: SignedIn; projectId: string; forms: Forms } | Response> {
  const { runtime, rateLimit } = front;
  const { params } = incoming;
  const projectId = params["project"] === undefined ? DEFAULT_ID : params["project"];
  if (projectId === null || (await runtime.people.methodOf(projectId)) === "none") return noSignIn();
  const path = mePath(projectId);
  const person = await signedIn(front, incoming, projectId);
  if (person === undefined) {
    return redirect(localPath(runtime, signInPath(projectId, path)), undefined, runtime.core.publicUrl());
  }
  rateLimit?.take(ownerOf(personOf(person, incoming)));
  return { person, projectId, forms: { action: localPath(runtime, path), token: person.formToken } };
}

/** Undefined for anything that is not an id. */
function idIn(text: string | null): string | undefined {
  return text !== null && /^[\w-]{1,200}$/.test(text) ? text : undefined;
}

function signOutForm(runtime: Runtime, { projectId, formToken: token }: SignedIn): string {
  const fields = { project: projectId, to: mePath(projectId) };
  return buttonForm({ action: localPath(runtime, "/sign-out"), token }, fields, "Sign out of this browser");
}

/** The path of the page of a project. */
export function mePath(projectId: string): string {
  return projectId === DEFAULT_ID ? "/me" : `/me/${encodeURIComponent(projectId)}`;
}

export function personOf(
  { projectId, incarnation, userId, sessionId }: SignedIn,
  { address }: Incoming,
): Person {
  return { projectId, incarnation, userId, sessionId, address };
}
