// Starts a consent that the tools of a gateway need, for the signed-in person.
import { RuntimeError } from "../../src/errors";
import { isListedOrigin } from "../../src/origins";
import { ownerOf } from "../../src/person-overview";
import { needsAt } from "./gateway-needs";
import { escape, htmlPage, redirect, shown } from "./html";
import type { Notice, Sent } from "./me-forms";
import { localPath } from "./sign-in-address";

/** The form names a gateway of the person's project, and one of the consents that its page has listed as missing. */
export async function startConsent({ front: { runtime }, person, form }: Sent): Promise<Notice | Response> {
  const { authorization, core, gateways } = runtime;
  const gateway = await gateways.serving(form.get("gateway") ?? "");
  if (gateway === undefined || gateway.projectId !== person.projectId) return "unknown";
  if (!(await runtime.mcp.access.isAllowed(gateway, person))) return "unknown";
  const { needs } = await needsAt(runtime, gateway, person);
  const need = needs.find(({ key }) => key === form.get("provider"));
  if (need === undefined || !need.isConfigured) return "unknown";
  const back = localPath(runtime, `/mcp/${gateway.slug}`);
  if (need.met) return redirect(back, undefined, core.publicUrl());
  try {
    const { url } = await authorization.authorize(ownerOf(person), {
      auth_requirement: { id: need.key, oauth2: { scopes: [...need.missing] } },
      ...nextUri(core.settings["redirects.allow"], gateways.addressOf(gateway)),
    });
    return url === undefined ? redirect(back, undefined, core.publicUrl()) : leave(url, need.name);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.status >= 500) throw error;
    return htmlPage(error.status, "This did not work", `<p>${shown(error.message)}</p>`);
  }
}

/** An installation may restrict where consents end; without an address they end with a page of their own. */
function nextUri(allowed: readonly string[], address: string): { next_uri?: string } {
  return allowed.length === 0 || isListedOrigin(new URL(address), allowed) ? { next_uri: address } : {};
}

// Browsers apply `form-action` of our policy to redirects after a form. A refresh is a new navigation.
function leave(url: string, name: string): Response {
  const words = `<p>Taking you to <a href="${escape(url)}">the consent for ${shown(name)}</a>.</p>`;
  return htmlPage(200, "One moment", words, { refresh: `0; url=${url}` });
}
