// The consent page, on which scopes can be left out and files be picked.
import { consentForm, escape, pageResponse } from "../../page";

export interface ConsentPage {
  readonly scopes: readonly string[];
  readonly people: readonly string[];
  /** Files to choose from; empty without a choice. */
  readonly files: readonly { readonly id: string; readonly title: string; readonly owner: string }[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

const PAGE = { platform: "Spreadsheet", width: 40 };

/** The page on which a person grants or refuses access. */
export function consentPage(page: ConsentPage): Response {
  const scopes = page.scopes.map(
    (scope) =>
      `<li><code>${escape(scope)}</code>
        <label><input type="checkbox" name="drop" value="${escape(scope)}"> leave this out</label></li>`,
  );
  const files = page.files.map(
    ({ id, title, owner }) =>
      `<label><input type="checkbox" name="pick" value="${escape(id)}"> ${escape(title)} (${escape(owner)})</label>`,
  );
  const choices = `<p>It may then use:</p>
      <ul>${scopes.join("\n      ")}</ul>
      ${files.length === 0 ? "" : `<p>Pick files:</p>\n      ${files.join("\n      ")}`}`;
  const { hidden, people } = page;
  return pageResponse({
    ...PAGE,
    status: 200,
    title: "Allow access",
    content: `<h1>Runtime asks for access to your account</h1>
    <p>This is the spreadsheet sandbox: a stand-in for the real platform, with made-up people.</p>
    ${consentForm({ action: "/o/oauth2/v2/auth", hidden, people, content: choices })}`,
  });
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Response {
  const content = `<h1>Access blocked</h1>\n    <p>Error 400: ${escape(message)}</p>`;
  return pageResponse({ ...PAGE, status: 400, title: "Error 400", content });
}
