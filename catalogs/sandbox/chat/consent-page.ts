// The consent page.
import { consentForm, escape, pageResponse } from "../page";

export interface ConsentPage {
  readonly team: string;
  readonly userScopes: readonly string[];
  readonly botScopes: readonly string[];
  readonly people: readonly string[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

/** The page on which a person grants or refuses access. */
export function consentPage({ team, userScopes, botScopes, people, hidden }: ConsentPage): Response {
  return pageResponse({
    status: 200,
    title: "Allow access",
    platform: "Chat",
    content: `<h1>Runtime asks for access to ${escape(team)}</h1>
    <p>This is the chat sandbox: a stand-in for the real platform, with made-up people.</p>
    ${scopes("On your behalf it may use:", userScopes)}
    ${scopes("As a bot it may use:", botScopes)}
    ${consentForm({ action: "/oauth/v2/authorize", hidden, people })}`,
  });
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Response {
  const title = "Something went wrong";
  const content = `<h1>${title}</h1>\n    <p>${escape(message)}</p>`;
  return pageResponse({ status: 400, title, platform: "Chat", content });
}

function scopes(intro: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const items = names.map((name) => `<li><code>${escape(name)}</code></li>`);
  return `<p>${intro}</p>\n    <ul>${items.join("")}</ul>`;
}
