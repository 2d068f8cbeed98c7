// One-time links. A link is used up by a POST only: mail and chat programs fetch links before people open them.
import { Type } from "typebox";
import { hashOf, newToken, sameSecret } from "../../src/crypto";
import { forbidden, RuntimeError } from "../../src/errors";
import { DEFAULT_ID } from "../../src/identity";
import { relyingPartyOf } from "../../src/people";
import { PasskeyName, RegistrationAnswer } from "../../src/people/passkeys/schema";
import { readForm } from "../body";
import type { Front, Incoming } from "../front";
import {
  MAX_BYTES,
  beginning,
  begunBrowser,
  bodyOf,
  cookieOfSession,
  counted,
  json,
  signedInAnswer,
  toAfter,
} from "./ceremony";
import { browserCookie, readBrowser } from "./cookie";
import { deviceOf } from "./device";
import { htmlPage, redirect, shown } from "./html";
import { isOwnOrigin, toLocalhost } from "./localhost";
import { invitationPage, noPasskeysPage, placeOf, signInLinkPage, unknownLinkPage } from "./passkey-page";

export const NewPasskeyRequest = Type.Object({ answer: RegistrationAnswer, name: PasskeyName });

/** GET /sign-in/link/{token}: whom the link is for. Nothing is used up. */
export async function openLink(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime, badCredentials } = front;
  const { request, params } = incoming;
  const publicUrl = runtime.core.publicUrl();
  const token = params["token"] ?? "";
  const link = await runtime.invitations.open(token);
  if (link === undefined) {
    badCredentials.count(incoming.address);
    return unknownLinkPage();
  }
  const place = await placeOf(runtime, link.projectId);
  const address = `${place.prefix}/sign-in/link/${encodeURIComponent(token)}`;
  if (link.kind === "passkey") {
    const party = relyingPartyOf(publicUrl);
    if ("reason" in party) return noPasskeysPage(place, party.reason);
    const device = deviceOf(request.headers.get("user-agent"));
    return toLocalhost(request, publicUrl) ?? invitationPage(place, link, { address, device });
  }
  const cookie = readBrowser(request, publicUrl) ?? newToken(runtime.core.random);
  return signInLinkPage(place, link, {
    address,
    check: checkOf(cookie, token),
    cookie: browserCookie(cookie, publicUrl),
  });
}

/** POST /sign-in/link/{token}: signs in with a link of the kind `session`. */
export async function signInWithLink(front: Front, incoming: Incoming): Promise<Response> {
  const { runtime } = front;
  const { request, params } = incoming;
  const publicUrl = runtime.core.publicUrl();
  const token = params["token"] ?? "";
  const form = await readForm(request, runtime.core.settings, MAX_BYTES);
  const origin = request.headers.get("origin");
  const cookie = readBrowser(request, publicUrl);
  const isOwn = origin === null || origin === "null" || isOwnOrigin(origin, publicUrl);
  // Another site could sign a person in as somebody else otherwise.
  if (!isOwn || cookie === undefined || !sameSecret(form.get("check") ?? "", checkOf(cookie, token)))
    throw forbidden("This form does not come from the page of the link. Open the link again.");
  const session = await counted(front, incoming, async () => {
    const { projectId } = await runtime.invitations.require(token);
    return runtime.invitations.signIn(token, begunBrowser(front, incoming, projectId));
  });
  const answer = redirect(toAfter(front, session.projectId, undefined), undefined, publicUrl);
  answer.headers.append("set-cookie", cookieOfSession(front, session));
  return answer;
}

export async function invitationOptions(front: Front, incoming: Incoming): Promise<Response> {
  await bodyOf(front, incoming, Type.Object({}));
  const begun = beginning(front, incoming, DEFAULT_ID);
  const options = await counted(front, incoming, () =>
    front.runtime.passkeys.invitationOptions(incoming.params["token"] ?? "", begun.browser),
  );
  return json(options, begun.cookies);
}

export async function acceptInvitation(front: Front, incoming: Incoming): Promise<Response> {
  const passkey = await bodyOf(front, incoming, NewPasskeyRequest);
  const token = incoming.params["token"] ?? "";
  const session = await counted(front, incoming, async () => {
    const { projectId } = await front.runtime.invitations.require(token);
    const browser = begunBrowser(front, incoming, projectId);
    return front.runtime.passkeys.acceptInvitation(token, browser, passkey);
  });
  return signedInAnswer(front, session, undefined);
}

// Proves that the form of a link was shown in this browser.
function checkOf(cookie: string, token: string): string {
  return hashOf(`link ${cookie} ${token}`);
}

/** What a person reads whose form is refused. */
export async function asPage(answer: Promise<Response>): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status >= 500) throw error;
    if (error.status === 404) return unknownLinkPage();
    return htmlPage(error.status, "You are not signed in", `<p>${shown(error.message)}</p>`);
  }
}
