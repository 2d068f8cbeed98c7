// The pages of a consent.
import { Redacted } from "../../src/base";
import {
  isUnknownSecret,
  KEY_PROBLEMS,
  type KeyProblem,
  type Outcome,
  type SignedInAs,
} from "../../src/authorization";
import type { Runtime } from "../../src/runtime";
import { readForm } from "../body";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { pageContext } from "./catalog-page";
import { readCookie } from "./cookie";
import { completedPage, confirmPage, failedPage, partiesOf } from "./consent-text";
import { keyPage } from "./key-page";
import { escape, htmlPage, redirect, shown } from "./html";
import { signedIn } from "./signed-in";

/** A key is the largest field, and each of its characters may be encoded. */
const MAX_FORM_BYTES = 20_000;

/** GET /authorize/{token} */
export async function openConsent(front: Front, incoming: Incoming): Promise<Response> {
  const { request, params } = incoming;
  const { consent, core } = front.runtime;
  // Mail and chat programs fetch links before users open them. That must not start the consent.
  if (request.method === "HEAD") return htmlPage(200, "Consent", "");
  const cookie = readCookie(request, core.publicUrl());
  const outcome = await consent.open(
    params["token"] ?? "",
    cookie,
    incoming.address,
    signedInAs(front, incoming),
  );
  const problem = requestUrl(request).searchParams.get("problem");
  return answer(
    front,
    incoming,
    outcome,
    KEY_PROBLEMS.find((known) => known === problem),
  );
}

/** GET /api/v1/oauth/{external_id}/callback */
export async function callback(front: Front, incoming: Incoming): Promise<Response> {
  const { request, params } = incoming;
  const { core, consent, extensions } = front.runtime;
  const externalId = params["external_id"] ?? "";
  const { search, searchParams } = requestUrl(request);
  core.log.debug("callback", { query: new Redacted(search) });
  const states = searchParams.getAll("state");
  for (const { callback: ofCatalog } of extensions.catalogs) {
    if (ofCatalog !== undefined && states.some((state) => state.startsWith(ofCatalog.statePrefix)))
      return ofCatalog.handle(pageContext(front, incoming), externalId);
  }
  const cookie = readCookie(request, core.publicUrl());
  const person = signedInAs(front, incoming);
  const outcome = await consent.callback(externalId, searchParams, cookie, incoming.address, person);
  return answer(front, incoming, outcome);
}

/** POST /authorize/{token}: the answer of the built-in user check. */
export async function confirmConsent(front: Front, incoming: Incoming): Promise<Response> {
  const { request, params } = incoming;
  const { core, consent } = front.runtime;
  const publicUrl = core.publicUrl();
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== "null" && origin !== new URL(publicUrl).origin) {
    const reason = "This form was sent from another site.";
    return answer(front, incoming, { kind: "refused", status: 403, reason });
  }
  const form = await readForm(request, core.settings, MAX_FORM_BYTES);
  const agrees = form.get("answer") === "yes";
  const cookie = readCookie(request, publicUrl);
  const key = form.get("key");
  if (key !== null) {
    const given = { key: new Redacted(key), check: form.get("check") ?? "", agrees };
    return afterKey(
      front,
      incoming,
      await consent.keys.give(
        params["token"] ?? "",
        given,
        cookie,
        incoming.address,
        signedInAs(front, incoming),
      ),
    );
  }
  const outcome = await consent.confirm(
    params["token"] ?? "",
    form.get("check") ?? "",
    agrees,
    cookie,
    incoming.address,
  );
  return outcome.kind === "redirect" ? leave(outcome.location) : answer(front, incoming, outcome);
}

function signedInAs(front: Front, incoming: Incoming): SignedInAs {
  return async (projectId) => (await signedIn(front, incoming, projectId))?.userId;
}

/** Always another page than the answer to the form: loading it again does not send the key again. */
async function afterKey(front: Front, incoming: Incoming, outcome: Outcome): Promise<Response> {
  return outcome.kind === "redirect"
    ? leave(outcome.location, { title: "One moment", words: "Taking you to" })
    : answer(front, incoming, outcome);
}

/** Unknown addresses and states count as bad credentials: they are secrets that give access to a consent. */
function answer(
  { runtime, badCredentials }: Front,
  { address }: Incoming,
  outcome: Outcome,
  problem?: KeyProblem,
): Promise<Response> {
  if (isUnknownSecret(outcome)) badCredentials.count(address);
  if (outcome.kind === "failed" || outcome.kind === "refused")
    runtime.core.log.refused("consent", {
      error: `consent_${outcome.kind}`,
      reason: outcome.reason,
      address,
    });
  return render(runtime, outcome, problem);
}

async function render(
  runtime: Runtime,
  outcome: Outcome,
  problem: KeyProblem | undefined,
): Promise<Response> {
  switch (outcome.kind) {
    case "key": {
      const parties = await partiesOf(runtime, outcome.about);
      return keyPage(outcome, parties, { problem, publicUrl: runtime.core.publicUrl() });
    }
    case "key_stored":
      return redirect(outcome.page, undefined, runtime.core.publicUrl());
    case "key_problem":
      return redirect(`${outcome.page}?problem=${outcome.problem}`, undefined, runtime.core.publicUrl());
    case "redirect":
      return redirect(outcome.location, outcome.cookie, runtime.core.publicUrl());
    case "confirm":
      return confirmPage(outcome, await partiesOf(runtime, outcome.about));
    case "completed":
      return completedPage(await partiesOf(runtime, outcome.about));
    case "tested":
      return htmlPage(
        200,
        "The verifier works",
        `<p>It confirmed the user <b>${shown(outcome.userId)}</b>. Nothing was linked: this was a test.</p>`,
      );
    case "failed":
      return failedPage(outcome.reason, await partiesOf(runtime, outcome.about));
    case "refused":
      return htmlPage(outcome.status, "This did not work", `<p>${shown(outcome.reason)}</p>`);
  }
}

// Browsers apply `form-action` of our policy to redirects after a form, some of them to every further redirect. A refresh
// is a new navigation.
function leave(
  location: string,
  { title, words } = { title: "Connected", words: "Taking you back to" },
): Response {
  const host = new URL(location).host;
  const body = `<p>${words} <a href="${escape(location)}">${shown(host)}</a>.</p>`;
  return htmlPage(200, title, body, { refresh: `0; url=${location}` });
}
