// The HTML of the consent page, without scripts and external resources.

export interface ConsentPage {
  readonly scopes: readonly string[];
  readonly people: readonly string[];
  /** Files to choose from; empty without a choice. */
  readonly files: readonly { readonly id: string; readonly title: string; readonly owner: string }[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
  button { font: inherit; padding: .5rem 1rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  code { background: #eee; color: #111; padding: .1rem .3rem; }
  label { display: block; }
`;

/** The page on which a person grants or refuses access. */
export function consentPage(page: ConsentPage): Response {
  const hidden = page.hidden.map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const scopes = page.scopes.map(
    (scope) =>
      `<li><code>${escape(scope)}</code>
        <label><input type="checkbox" name="drop" value="${escape(scope)}"> leave this out</label></li>`,
  );
  const files = page.files.map(
    ({ id, title, owner }) =>
      `<label><input type="checkbox" name="pick" value="${escape(id)}"> ${escape(title)} (${escape(owner)})</label>`,
  );
  const people = page.people.map(
    (name) => `<button name="user" value="${escape(name)}">Continue as ${escape(name)}</button>`,
  );
  return html(
    200,
    "Allow access",
    `<h1>Runtime asks for access to your account</h1>
    <p>This is the spreadsheet sandbox: a stand-in for the real platform, with made-up people.</p>
    <form method="post" action="/o/oauth2/v2/auth">
      ${hidden.join("\n      ")}
      <p>It may then use:</p>
      <ul>${scopes.join("\n      ")}</ul>
      ${files.length === 0 ? "" : `<p>Pick files:</p>\n      ${files.join("\n      ")}`}
      <p>${people.join("\n      ")}</p>
      <p><button name="user" value="cancel">Cancel</button></p>
    </form>`,
  );
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Response {
  return html(400, "Error 400", `<h1>Access blocked</h1>\n    <p>Error 400: ${escape(message)}</p>`);
}

function html(status: number, title: string, body: string): Response {
  const page = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Spreadsheet sandbox</title>
    <style>${STYLE}</style>
  </head>
  <body>
    ${body}
  </body>
</html>
`;
  return new Response(page, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      // No form-action: browsers apply it to the redirect after the form, which goes to the product.
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
    },
  });
}

function escape(value: string): string {
  return Bun.escapeHTML(value);
}
