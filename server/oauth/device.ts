// Where a person types the code that a device shows (RFC 8628). Codes can be guessed, so wrong ones count as bad credentials.
import type { AuthorizationRequest } from "../../src/people";
import { PATHS } from "../../src/people";
import { RuntimeError } from "../../src/errors";
import type { Front, Incoming } from "../front";
import { htmlPage, shown } from "../pages/html";
import { checkForm, signedIn } from "../pages/signed-in";
import { requestUrl } from "../request-url";
import { consentPage } from "./consent-page";
import { requireServed } from "./served";
import { answeringOf, formOf, toSignIn } from "./interaction";

const CODE = /^[B-DF-HJ-NP-TV-XZ]{8}$/;

/** GET /device, with or without the code. */
export async function openDevice(front: Front, incoming: Incoming): Promise<Response> {
  await requireServed(front);
  if (incoming.request.method === "HEAD") return htmlPage(200, "Connect a device", "");
  const given = requestUrl(incoming.request).searchParams.get("user_code");
  if (given === null) return codePage();
  return withCode(front, incoming, given, async (request, code) => {
    const here = `${PATHS.userCode}?user_code=${code}`;
    const person = await signedIn(front, incoming, request.resource.projectId);
    if (person === undefined) return toSignIn(front, request, here);
    const refusal = await front.runtime.authorizationServer.refusal(request, person);
    if (refusal !== undefined) return htmlPage(403, "You may not use this", `<p>${shown(refusal)}</p>`);
    return consentPage({ request, person, action: PATHS.userCode, hidden: { user_code: code }, here });
  });
}

/** POST /device: the answer. */
export async function answerDevice(front: Front, incoming: Incoming): Promise<Response> {
  await requireServed(front);
  const form = await formOf(front, incoming);
  return withCode(front, incoming, form.get("user_code") ?? "", async (request, code) => {
    const { projectId } = request.resource;
    const person = await signedIn(front, incoming, projectId);
    if (person === undefined) return toSignIn(front, request, `${PATHS.userCode}?user_code=${code}`);
    checkForm(front, incoming, person, form);
    const server = front.runtime.authorizationServer;
    if (form.get("answer") !== "yes") {
      await server.denyDevice(code);
      return htmlPage(200, "Not allowed", "<p>The device gets nothing. You can close this page.</p>");
    }
    const refusal = await server.refusal(request, person);
    if (refusal !== undefined) return htmlPage(403, "You may not use this", `<p>${shown(refusal)}</p>`);
    const owner = answeringOf(person, incoming);
    const isDone = await server.allowDevice(code, request, owner);
    return isDone
      ? htmlPage(200, "Connected", "<p>Go back to your device. You can close this page.</p>")
      : codePage("This code was used already, or is too old.");
  });
}

async function withCode(
  front: Front,
  { address }: Incoming,
  given: string,
  answer: (request: AuthorizationRequest, code: string) => Promise<Response>,
): Promise<Response> {
  try {
    front.badCredentials.require(address);
    const code = given.toUpperCase().replaceAll(/[^A-Z]/g, "");
    const request = CODE.test(code) ? await front.runtime.authorizationServer.deviceRequest(code) : undefined;
    if (request !== undefined) return await answer(request, code);
    front.badCredentials.count(address);
    return codePage("This code is wrong, was used already, or is too old.");
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status !== 429) throw error;
    return htmlPage(429, "Too many wrong codes", `<p>${shown(error.message)}</p>`);
  }
}

function codePage(problem?: string): Response {
  return htmlPage(
    problem === undefined ? 200 : 400,
    "Connect a device",
    (problem === undefined ? "" : `<p class="problem">${shown(problem)}</p>`) +
      `<form method="get" action="${PATHS.userCode}"><label>The code that your device shows` +
      `<input name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label>` +
      `<button class="main">Go on</button></form>`,
  );
}
