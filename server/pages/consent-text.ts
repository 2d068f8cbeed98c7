// What the pages of a consent say: whom it links, what is granted, and why it failed. They address the person who reads
// them. Everything that is not ours is shown with hidden characters made visible.
import { type ConsentParties, type Outcome, reasonForPerson } from "../../src/authorization";
import { DEFAULT_ID } from "../../src/identity";
import type { ApiKeyConfig } from "../../src/providers";
import type { Runtime } from "../../src/runtime";
import { escape, htmlPage, shown } from "./html";

export interface Parties {
  /** The name of the project, or the host if it has no name yet. */
  application: string;
  /** Where the application is: what distinguishes two of the same name. */
  place: string;
  provider: string;
  scopeWords: Readonly<Record<string, string>>;
  /** Of a provider whose users enter keys of their own. */
  apiKey: ApiKeyConfig | undefined;
}

/** The names of the parties of a consent. */
export async function partiesOf(
  { core, identity, providers }: Runtime,
  { projectId, providerId }: ConsentParties,
): Promise<Parties> {
  const { host } = new URL(core.publicUrl());
  const [name, provider] = await Promise.all([
    identity.projects.nameOf(projectId),
    providerId === undefined ? undefined : providers.find(projectId, providerId),
  ]);
  const isNamed = name !== undefined && name !== DEFAULT_ID;
  return {
    application: isNamed ? name : host,
    place: isNamed ? `at ${host}` : `project ${name ?? projectId}`,
    provider: provider?.name ?? providerId ?? "the provider",
    scopeWords: provider?.scopeWords ?? {},
    apiKey: provider?.apiKey,
  };
}

export function confirmPage(outcome: Extract<Outcome, { kind: "confirm" }>, parties: Parties): Response {
  const [application, provider] = [shown(parties.application), shown(parties.provider)];
  const body =
    `<p>You are about to link your account at <b>${provider}</b>. ` +
    `From then on <b>${application}</b> can act there for you.</p>` +
    `<dl><dt>Application</dt><dd>${application} <small>${shown(parties.place)}</small></dd>` +
    `<dt>Your user there</dt><dd>${shown(outcome.userId)}</dd>` +
    `<dt>Provider</dt><dd>${provider}</dd>` +
    `<dt>What it may do</dt><dd>${scopeList(outcome.scopes, parties)}</dd></dl>` +
    "<p>Is this you? If somebody else sent you this link, it would link <b>your</b> account to <b>their</b> user.</p>" +
    `<form method="post" action="${escape(outcome.action)}">` +
    `<input type="hidden" name="check" value="${escape(outcome.check)}">` +
    `<button class="main" name="answer" value="yes">Yes, this is me</button>` +
    `<button name="answer" value="no">No, do not link</button></form>`;
  return htmlPage(200, "Link your account?", body);
}

export function completedPage({ application, provider, apiKey }: Parties): Response {
  const linked =
    apiKey === undefined
      ? `Your account at <b>${shown(provider)}</b> is linked.`
      : `Your key for <b>${shown(provider)}</b> is stored. It is never shown again.`;
  const body = `<p>${linked} You can close this window and go back to <b>${shown(application)}</b>.</p>`;
  return htmlPage(200, "Connected", body);
}

export function failedPage(reason: string, { application, provider, scopeWords }: Parties): Response {
  const words = reasonForPerson(reason, { provider, scope: (scope) => wordsOf(scopeWords, scope) ?? scope });
  const body = `<p>${shown(words)}</p><p>To try again, go back to <b>${shown(application)}</b> and start again there.</p>`;
  return htmlPage(200, "Not connected", body);
}

/** Each scope in words, followed by its name; only its name where the words are unknown. */
export function scopeList(
  scopes: readonly string[],
  { provider, scopeWords }: Pick<Parties, "provider" | "scopeWords">,
): string {
  if (scopes.length === 0) return `Know who you are at ${shown(provider)}`;
  const items = scopes.map((scope) => {
    const words = wordsOf(scopeWords, scope);
    return words === undefined
      ? `<li>${shown(scope)}</li>`
      : `<li>${shown(words)} <small>${shown(scope)}</small></li>`;
  });
  return `<ul>${items.join("")}</ul>`;
}

function wordsOf(scopeWords: Parties["scopeWords"], scope: string): string | undefined {
  return Object.hasOwn(scopeWords, scope) ? scopeWords[scope] : undefined;
}
