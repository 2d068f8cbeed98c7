// The pages of a consent.
import { Redacted } from "../../src/base";
import { isUnknownSecret, type Outcome } from "../../src/authorization";
import type { Runtime } from "../../src/runtime";
import { bodyLimits, readText } from "../body";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { pageContext } from "./catalog-page";
import { readCookie } from "./cookie";
import { completedPage, confirmPage, failedPage, partiesOf } from "./consent-text";
import { escape, htmlPage, redirect, shown } from "./html";

const MAX_FORM_BYTES = 10_000;

/** GET /authorize/{token} */
export async function openConsent(front: Front, incoming: Incoming): Promise<Response> {
  const { request, params } = incoming;
  const { consent, core } = front.runtime;
  // Mail and chat programs fetch links before users open them. That must not start the consent.
  if (request.method === "HEAD") return htmlPage(200, "Consent", "");
  const cookie = readCookie(request, core.publicUrl());
  return answer(front, incoming, await consent.open(params["token"] ?? "", cookie, incoming.address));
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
  return answer(front, incoming, await consent.callback(externalId, searchParams, cookie, incoming.address));
}

/** GET /api/v1/auth/callback: the browser has signed in at the OpenID provider. */
export async function signInCallback(front: Front, incoming: Incoming): Promise<Response> {
  const { request } = incoming;
  const { core, consent } = front.runtime;
  const { search, searchParams } = requestUrl(request);
  core.log.debug("sign-in callback", { query: new Redacted(search) });
  const cookie = readCookie(request, core.publicUrl());
  return answer(front, incoming, await consent.signIn.callback(searchParams, cookie, incoming.address));
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
  const limits = { ...bodyLimits(core.settings), maxBytes: MAX_FORM_BYTES };
  const form = new URLSearchParams(await readText(request, limits));
  const agrees = form.get("answer") === "yes";
  const cookie = readCookie(request, publicUrl);
  const outcome = await consent.confirm(
    params["token"] ?? "",
    form.get("check") ?? "",
    agrees,
    cookie,
    incoming.address,
  );
  return outcome.kind === "redirect" ? leave(outcome.location) : answer(front, incoming, outcome);
}

/** Unknown addresses and states count as bad credentials: they are secrets that give access to a consent. */
function answer(
  { runtime, badCredentials }: Front,
  { address }: Incoming,
  outcome: Outcome,
): Promise<Response> {
  if (isUnknownSecret(outcome)) badCredentials.count(address);
  if (outcome.kind === "failed" || outcome.kind === "refused")
    runtime.core.log.refused("consent", {
      error: `consent_${outcome.kind}`,
      reason: outcome.reason,
      address,
    });
  return render(runtime, outcome);
}

async function render(runtime: Runtime, outcome: Outcome): Promise<Response> {
  switch (outcome.kind) {
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
function leave(location: string): Response {
  const host = new URL(location).host;
  const body = `<p>Taking you back to <a href="${escape(location)}">${shown(host)}</a>.</p>`;
  return htmlPage(200, "Connected", body, { refresh: `0; url=${location}` });
}
