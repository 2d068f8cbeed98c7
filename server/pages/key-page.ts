// The page on which a user enters a key of their own. It works without scripts. The key is sent only in the body of the form,
// and is never part of an answer: browsers repeat neither when a page is loaded again.
import type { KeyProblem, Outcome } from "../../src/authorization";
import { MOST_KEY_CHARACTERS } from "../../src/connections";
import { originsOf } from "../../src/origins";
import type { ApiKeyConfig } from "../../src/providers";
import { setCookie } from "./cookie";
import type { Parties } from "./consent-text";
import { escape, htmlPage, shown } from "./html";

type KeyPage = Extract<Outcome, { kind: "key" }>;

export function keyPage(
  page: KeyPage,
  parties: Parties,
  { problem, publicUrl }: { problem: KeyProblem | undefined; publicUrl: string },
): Response {
  const [application, provider] = [shown(parties.application), shown(parties.provider)];
  const config = parties.apiKey;
  const body =
    problemLine(problem, provider) +
    `<p>With your own key for <b>${provider}</b>, <b>${application}</b> can act there for you.</p>` +
    helpOf(config) +
    `<dl><dt>Application</dt><dd>${application} <small>${shown(parties.place)}</small></dd>` +
    `<dt>Your user there</dt><dd>${shown(page.userId)}</dd>` +
    `<dt>The key is for</dt><dd>${provider}</dd>` +
    sentTo(config) +
    "</dl>" +
    "<p>Is this you? If somebody else sent you this link, <b>their</b> user would act with <b>your</b> key.</p>" +
    `<form method="post" action="${escape(page.action)}" autocomplete="off">` +
    `<input type="hidden" name="check" value="${escape(page.check)}">` +
    `<label for="key">${labelOf(config)}</label>` +
    // Browsers and password managers must not offer a password for this site, nor keep the key as one.
    `<input id="key" name="key" type="password" required maxlength="${MOST_KEY_CHARACTERS}" autocomplete="off" ` +
    'autocapitalize="off" autocorrect="off" spellcheck="false" data-1p-ignore data-lpignore="true" data-bwignore="true">' +
    `<button class="main" name="answer" value="yes">Yes, this is me: store my key</button>` +
    `<button name="answer" value="no" formnovalidate>No, do not</button></form>`;
  return htmlPage(200, "Your own key", body, { "set-cookie": setCookie(page.cookie, publicUrl) });
}

function problemLine(problem: KeyProblem | undefined, provider: string): string {
  if (problem === undefined) return "";
  const words: Readonly<Record<KeyProblem, string>> = {
    empty: "Enter your key.",
    malformed: "This is not a key: it is too long, or has characters that no key has. Copy it again.",
    refused: `${provider} refused this key, so it was not stored. Check that it is complete and still valid.`,
    unchecked: `${provider} could not check the key now, so it was not stored. Try again in a minute.`,
  };
  return `<p class="problem" role="alert">${words[problem]}</p>`;
}

function labelOf(config: ApiKeyConfig | undefined): string {
  return config?.location === "basic" ? "User name and password, as <code>user:password</code>" : "Your key";
}

/** The administrator's words. The link is checked when the record is stored, and again here. */
function helpOf(config: ApiKeyConfig | undefined): string {
  const { help = "", help_url = "" } = config ?? {};
  const lines = help
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => `<p>${shown(line)}</p>`)
    .join("");
  const url = URL.parse(help_url);
  if (url === null || !/^https?:$/.test(url.protocol)) return lines;
  const link = `<a href="${escape(url.href)}" target="_blank" rel="noopener noreferrer">${shown(url.host)}</a>`;
  return `${lines}<p>Get a key at ${link}.</p>`;
}

function sentTo(config: ApiKeyConfig | undefined): string {
  const hosts = originsOf(config?.addresses ?? []).map((origin) => `<li>${shown(origin)}</li>`);
  return hosts.length === 0
    ? ""
    : `<dt>Over the network, it is sent only to</dt><dd><ul>${hosts.join("")}</ul></dd>`;
}
