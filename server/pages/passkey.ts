// The pages and requests of passkeys: the sign-in, and a further passkey of a person who is signed in.
import { type Static, Type } from "typebox";
import { forbidden } from "../../src/errors";
import { DEFAULT_ID } from "../../src/identity";
import { relyingPartyOf, returnPath, type SignedIn, signInPath } from "../../src/people";
import { SignInAnswer } from "../../src/people/passkeys/schema";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { beginning, begunBrowser, bodyOf, counted, json, signedInAnswer, toAfter } from "./ceremony";
import { deviceOf } from "./device";
import { redirect } from "./html";
import { toLocalhost } from "./localhost";
import { addPage, noPasskeysPage, placeOf, signInPage } from "./passkey-page";
import { PASSKEY_SCRIPT } from "./passkey-script";
import { NewPasskeyRequest } from "./sign-in-link";
import { noSignIn } from "./sign-in";
import { checkForm, signedIn } from "./signed-in";

const projectId = Type.String({ minLength: 1, maxLength: 100 });
const OptionsRequest = Type.Object({ project: projectId });
const SignInRequest = Type.Object({
  project: projectId,
  to: Type.Optional(Type.String({ maxLength: 4000 })),
  answer: SignInAnswer,
});
const OwnRequest = Type.Object({ project: projectId, token: Type.String({ maxLength: 100 }) });

/** The page of a sign-in with a passkey. `to`: the path that follows, checked. */
export async function passkeySignIn(
  { runtime }: Front,
  { request }: Incoming,
  { projectId: project, to }: { projectId: string; to: string },
): Promise<Response> {
  const publicUrl = runtime.core.publicUrl();
  const place = await placeOf(runtime, project);
  const party = relyingPartyOf(publicUrl);
  if ("reason" in party) return noPasskeysPage(place, party.reason);
  return toLocalhost(request, publicUrl) ?? signInPage(place, project, to);
}

/** GET /sign-in/passkey?project=…&to=…: where `/sign-in` leads. */
export async function openSignIn(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  const query = requestUrl(incoming.request).searchParams;
  const projectId = query.get("project") ?? DEFAULT_ID;
  const to = returnPath(query.get("to"), projectId);
  const publicUrl = runtime.core.publicUrl();
  if ((await runtime.people.methodOf(projectId)) !== "passkey") return noSignIn();
  const moved = toLocalhost(incoming.request, publicUrl);
  if (moved !== undefined) return moved;
  if ((await signedIn(front, incoming, projectId)) === undefined)
    return passkeySignIn(front, incoming, { projectId, to });
  return redirect(toAfter(front, projectId, to), undefined, publicUrl);
}

export function script(): Response {
  return new Response(PASSKEY_SCRIPT, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  });
}

export async function signInOptions(front: Front, incoming: Incoming): Promise<Response> {
  const { project } = await bodyOf(front, incoming, OptionsRequest);
  const begun = beginning(front, incoming, project);
  return json(await front.runtime.passkeys.signInOptions(project, begun.browser), begun.cookies);
}

export async function signIn(front: Front, incoming: Incoming): Promise<Response> {
  const { project, to, answer } = await bodyOf(front, incoming, SignInRequest);
  const browser = begunBrowser(front, incoming, project);
  const session = await counted(front, incoming, () =>
    front.runtime.passkeys.signIn(project, browser, answer),
  );
  return signedInAnswer(front, { projectId: project, cookie: session }, to);
}

/** GET /sign-in/passkey/new?project=…: a further passkey of a person who is signed in. */
export async function openAdd(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  const { request } = incoming;
  const moved = toLocalhost(request, runtime.core.publicUrl());
  if (moved !== undefined) return moved;
  const project = requestUrl(request).searchParams.get("project") ?? DEFAULT_ID;
  const place = await placeOf(runtime, project);
  const person = await signedIn(front, incoming, project);
  if (person === undefined) {
    const own = `/sign-in/passkey/new?${new URLSearchParams({ project }).toString()}`;
    return redirect(place.prefix + signInPath(project, own), undefined, runtime.core.publicUrl());
  }
  return addPage(place, person, deviceOf(request.headers.get("user-agent")));
}

export async function addOptions(front: Front, incoming: Incoming): Promise<Response> {
  const own = await bodyOf(front, incoming, OwnRequest);
  const person = await ownerOf(front, incoming, own);
  const begun = beginning(front, incoming, person.projectId);
  return json(await front.runtime.passkeys.addOptions(person, begun.browser), begun.cookies);
}

export async function add(front: Front, incoming: Incoming): Promise<Response> {
  const passkey = await bodyOf(
    front,
    incoming,
    Type.Object({ ...OwnRequest.properties, ...NewPasskeyRequest.properties }),
  );
  const person = await ownerOf(front, incoming, passkey);
  const browser = begunBrowser(front, incoming, person.projectId);
  await counted(front, incoming, () => front.runtime.passkeys.add(person, browser, passkey));
  return json({ to: toAfter(front, person.projectId, undefined) }, []);
}

/** The person who is signed in and sends a form of an own page. Throws `forbidden`. */
async function ownerOf(
  front: Front,
  incoming: Incoming,
  { project, token }: Static<typeof OwnRequest>,
): Promise<SignedIn> {
  const person = await signedIn(front, incoming, project);
  if (person === undefined) throw forbidden("You are not signed in. Load the page again.");
  checkForm(front, incoming, person, new URLSearchParams({ token }));
  return person;
}
