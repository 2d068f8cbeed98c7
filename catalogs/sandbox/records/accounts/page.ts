// The consent page.
import { consentForm, escape, sandboxPage } from "../../page";
import type { Reply } from "../server";

export interface ConsentPage {
  readonly scopes: readonly string[];
  readonly people: readonly string[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

/** The page on which a person grants or refuses access. */
export function consentPage({ scopes, people, hidden }: ConsentPage): Reply {
  const items = scopes.map((scope) => `<li><code>${escape(scope)}</code></li>`);
  return sandboxPage({
    status: 200,
    title: "Allow access",
    platform: "Records",
    content: `<h1>Runtime asks for access to your records applications</h1>
    <p>This is the records sandbox: a stand-in for the real platform, with made-up people.</p>
    <p>On your behalf it may use:</p>
    <ul>${items.join("")}</ul>
    ${consentForm({ action: "/oauth/v2/auth", hidden, people })}`,
  });
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Reply {
  const title = "Something went wrong";
  const content = `<h1>${title}</h1>\n    <p>${escape(message)}</p>`;
  return sandboxPage({ status: 400, title, platform: "Records", content });
}
